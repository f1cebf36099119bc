#pragma once

namespace dma::inline v0_1::proof {

/// What is wrong with a kernel, or why it is refused.
enum class FindingKind : unsigned char {
  none,                 ///< correct for every schedule
  deadlock,             ///< no agent can continue
  race,                 ///< two accesses to a cell, one of them a write, are not ordered
  unfinished_copy,      ///< an access to a cell that a copy may still move, or a write of one that tensor cores may
                        ///< still read: their completion was not waited for
  recycled_barrier,     ///< an operation belongs to different generations under different schedules
  arrival_count,        ///< more arrivals than a generation takes, or different expected numbers
  no_waiter,            ///< a generation of a named barrier at which all threads only arrive
  barrier_not_open,     ///< a phase barrier is used before it is open or after it is closed, or it is opened twice
  unwritten_bytes,      ///< shared memory is read or copied out that was not written, or not for this tile
  accessed_barrier,     ///< an ordinary access or a copy touches the word of an open mbarrier
  missing_fence,        ///< a bulk copy may miss what an ordinary store wrote
  armed_at_exit,        ///< arrivals, bytes or copies are pending at exit or where a barrier is closed
  unconverged_lanes,    ///< lanes of a warp in different branches do what only converged lanes may do
  unused_tile,          ///< a tile that one side of a pipeline filled, and the other never waited for
  broken_contract,      ///< the run threw an exception
  depends_on_schedule,  ///< refused: the operations depend on the schedule
  different_outputs,    ///< an output differs from seed to seed
  divergent_lanes,      ///< refused by the search: the lanes of a warp diverge
  spinning,             ///< refused: a thread loops without a wait of the library
  too_many_states,      ///< refused by the search: it reached its limit
  nothing_done,         ///< refused: no run moved a tile, met a barrier or wrote what is watched
  few_tiles,            ///< refused by `for_all_trips`: a pipeline moved too few tiles for a proof of any number
  ended_cta,            ///< an access to another CTA of the cluster, which may have ended
  narrow_scope,         ///< an arrival of another CTA of the cluster at CTA scope, or a wait for one
  cluster,              ///< refused by the search: it is of one CTA
  out_of_bounds,        ///< an access outside of the kernel's shared memory, or of the arrays that were named
  out_of_time,          ///< refused: `Options::limits.seconds` ended
  out_of_memory,        ///< refused: `Options::limits.bytes` or the process's memory ended
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
};

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
      return "a generation that no thread waits for";
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
    case FindingKind::depends_on_schedule:
      return "refused: the operations depend on the schedule";
    case FindingKind::different_outputs:
      return "outputs that differ from seed to seed";
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
    case FindingKind::ended_cta:
      return "a CTA that may have ended";
    case FindingKind::narrow_scope:
      return "an order at CTA scope between CTAs";
    case FindingKind::cluster:
      return "refused: a cluster of CTAs";
    case FindingKind::out_of_bounds:
      return "an access out of bounds";
    case FindingKind::out_of_time:
      return "refused: out of time";
    case FindingKind::out_of_memory:
      return "refused: out of memory";
  }
  return "";
}

}  // namespace dma::v0_1::proof
