#pragma once

namespace dma::inline v0_1::proof {

/// What is wrong with a kernel, or why it is refused; and the way out.
enum class FindingKind : unsigned char {
  /// nothing is wrong under any schedule, within what the verdict's first lines name; nothing is to be mended
  none,
  /// no thread can continue; let both sides take the same tiles in the same order, and each thread make the same calls
  deadlock,
  /// two accesses to the same bytes, one of them a write, are not ordered; put a barrier, a wait for the tile or the
  /// release of its slot between them
  race,
  /// an access to bytes that a copy may still move, or a write of bytes that tensor cores may still read; wait for
  /// the copy's barrier or for its group before, and where a slot is filled by hand call signal_full() after each copy
  unfinished_copy,
  /// an arrival or a wait is of one phase of its barrier under one schedule, and of another phase under another; let
  /// each thread that ever waits at a barrier wait for each of its phases, before the next one can complete
  recycled_barrier,
  /// more arrivals than a phase of the barrier takes, different expected numbers, or an arrival by .noComplete that may
  /// be the last; let each thread that the barrier counts arrive once a phase, with one number at all arrivals
  arrival_count,
  /// a phase of a named barrier at which all threads only arrive; let one side wait for it
  no_waiter,
  /// a phase barrier is used before it is open or after it is closed, or it is opened twice; construct the
  /// pipeline before the branch of the roles, and close it after the last tile
  barrier_not_open,
  /// shared memory is read or copied out that was not written, or not for this tile; fill the whole tile, or name
  /// a shorter one on both sides
  unwritten_bytes,
  /// an ordinary access or a copy touches the word of an open mbarrier; close the pipeline first, or use other
  /// memory
  accessed_barrier,
  /// a bulk copy may miss what an ordinary store wrote; call the barrier's fence() after the store and before the
  /// copy, or let a slot's release do it
  missing_fence,
  /// arrivals, bytes or copies are pending at exit or where a barrier is closed; use every tile that is moved, in
  /// all threads that its barriers count, and wait for copies of your own
  armed_at_exit,
  /// lanes of a warp in different branches do what only converged lanes may do; move it out of the branch, or
  /// call sync_warp() before
  unconverged_lanes,
  /// a tile that one side of a pipeline filled, and the other never waited for; wait() for every tile that is
  /// loaded, and store() every tile that is filled
  unused_tile,
  /// the run threw an exception; do what its message says
  broken_contract,
  /// refused, since the operations depend on the schedule; wait for a barrier instead of polling it, and prove
  /// kernels with atomics by prove()
  depends_on_schedule,
  /// an output differs from seed to seed; order the threads that write it, or leave it out of the outputs
  different_outputs,
  /// refused by the search, since the lanes of a warp diverge; use prove(), which judges each thread
  divergent_lanes,
  /// refused, since a thread loops without a wait of the library; wait at a barrier or for a tile instead
  spinning,
  /// refused by the search, which reached its limit; use prove(), fewer tiles or a higher
  /// `Options::limits.states`
  too_many_states,
  /// refused, since no run moved a tile, met a barrier or wrote what is watched; prove arguments with which the
  /// kernel works, and name its outputs
  nothing_done,
  /// refused by `for_all_trips`, since a pipeline moved too few tiles for a proof of any number; let its function
  /// choose a problem that has more: a grid divides the tiles, so multiply them by its CTAs
  few_tiles,
  /// an access to another CTA of the cluster, which may have ended; call cta.cluster_sync() after the last access
  ended_cta,
  /// an arrival of another CTA of the cluster at CTA scope, or a wait for one; use `Scope::cluster`
  narrow_scope,
  /// refused by the search, which is of one CTA; use prove()
  cluster,
  /// an access outside of the kernel's shared memory, or of the arrays that were named; stay inside, or name the
  /// whole array
  out_of_bounds,
  /// refused, since `Options::limits.seconds` ended; prove a smaller problem or allow more seconds
  out_of_time,
  /// refused, since `Options::limits.bytes` or the process's memory ended; prove a smaller problem or allow more
  /// bytes
  out_of_memory,
};

namespace detail {

/// What a judge found: which operation of which agent, and of another one. -1 where there is none.
struct Finding {
  FindingKind kind = FindingKind::none;
  int agent = -1;
  int operation = -1;
  int other_agent = -1;
  int other_operation = -1;
  bool met_by_shuffle = false;  ///< in between: that orders no accesses
  bool met_by_relaxed = false;  ///< arrivals or waits, likewise
};

}  // namespace detail

namespace detail {

/// Why a kernel is refused, in a few words; empty where it is not.
[[nodiscard]] constexpr const char* name_of_refusal(FindingKind kind) noexcept {
  switch (kind) {
    case FindingKind::depends_on_schedule:
      return "refused: the operations depend on the schedule";
    case FindingKind::divergent_lanes:
      return "refused: the lanes of a warp diverge";
    case FindingKind::too_many_states:
      return "refused: too many states";
    case FindingKind::spinning:
      return "refused: a thread spins";
    case FindingKind::nothing_done:
      return "refused: nothing was done";
    case FindingKind::few_tiles:
      return "refused: too few tiles";
    case FindingKind::cluster:
      return "refused: a cluster of CTAs";
    case FindingKind::out_of_time:
      return "refused: out of time";
    case FindingKind::out_of_memory:
      return "refused: out of memory";
    default:
      return "";
  }
}

}  // namespace detail

/// A finding in a few words.
[[nodiscard]] constexpr const char* name_of(FindingKind kind) noexcept {
  switch (kind) {
    case FindingKind::none:
      return "proved";
    case FindingKind::deadlock:
      return "deadlock";
    case FindingKind::race:
      return "race";
    case FindingKind::unfinished_copy:
      return "a copy or an asynchronous read that was not waited for";
    case FindingKind::recycled_barrier:
      return "recycled barrier";
    case FindingKind::arrival_count:
      return "wrong number of arrivals";
    case FindingKind::no_waiter:
      return "a phase that no thread waits for";
    case FindingKind::barrier_not_open:
      return "a barrier that may not be open";
    case FindingKind::unwritten_bytes:
      return "bytes that were not written";
    case FindingKind::accessed_barrier:
      return "an access to an open barrier";
    case FindingKind::missing_fence:
      return "missing proxy fence";
    case FindingKind::armed_at_exit:
      return "pending at exit";
    case FindingKind::unconverged_lanes:
      return "lanes that are not converged";
    case FindingKind::unused_tile:
      return "a tile that is not used";
    case FindingKind::broken_contract:
      return "broken contract";
    case FindingKind::different_outputs:
      return "outputs that differ from seed to seed";
    case FindingKind::ended_cta:
      return "a CTA that may have ended";
    case FindingKind::narrow_scope:
      return "an order at CTA scope between CTAs";
    case FindingKind::out_of_bounds:
      return "an access out of bounds";
    case FindingKind::depends_on_schedule:
    case FindingKind::divergent_lanes:
    case FindingKind::too_many_states:
    case FindingKind::spinning:
    case FindingKind::nothing_done:
    case FindingKind::few_tiles:
    case FindingKind::cluster:
    case FindingKind::out_of_time:
    case FindingKind::out_of_memory:
      break;
  }
  return detail::name_of_refusal(kind);
}

}  // namespace dma::inline v0_1::proof
