#pragma once

namespace dma::host {

/// What is wrong with a kernel, or why nothing can be said of it.
enum class FindingKind : unsigned char {
  none,                 ///< nothing, under any schedule
  deadlock,             ///< no agent can go on
  race,                 ///< two accesses to a cell, one a write, in either order
  unfinished_copy,      ///< an access to a cell, and a copy of it whose end nobody has waited for
  recycled_barrier,     ///< an operation belongs to one generation or to another, as the schedule has it
  arrival_count,        ///< more arrivals than a generation takes, or disagreement on how many it takes
  nobody_waits,         ///< a generation of a named barrier at which everybody only arrives
  barrier_not_open,     ///< a phase barrier is used before it is open, after it is closed, or opened again
  missing_fence,        ///< a bulk copy may not see what an ordinary store wrote
  armed_at_exit,        ///< arrivals, bytes or copies are left at the end or where a barrier is closed
  broken_contract,      ///< the run itself threw
  depends_on_schedule,  ///< refused: which operations there are depends on the schedule
  different_outputs,    ///< memory that was to be compared differs from seed to seed
  divergent_lanes,      ///< refused by the search: the lanes of a warp are no one agent
  too_many_states,      ///< refused by the search: it did not end within its limit
};

/// What a judge found: which operations of which agents, -1 where there is none.
struct Finding {
  FindingKind kind = FindingKind::none;
  int agent = -1;
  int operation = -1;
  int other_agent = -1;
  int other_operation = -1;
};

[[nodiscard]] constexpr const char* name_of(FindingKind kind) noexcept {
  switch (kind) {
    case FindingKind::none:
      return "proved";
    case FindingKind::deadlock:
      return "deadlock";
    case FindingKind::race:
      return "race";
    case FindingKind::unfinished_copy:
      return "a copy whose end nobody waited for";
    case FindingKind::recycled_barrier:
      return "recycled barrier";
    case FindingKind::arrival_count:
      return "wrong number of arrivals";
    case FindingKind::nobody_waits:
      return "a generation nobody waits for";
    case FindingKind::barrier_not_open:
      return "a barrier that may not be open";
    case FindingKind::missing_fence:
      return "missing proxy fence";
    case FindingKind::armed_at_exit:
      return "armed at exit";
    case FindingKind::broken_contract:
      return "broken contract";
    case FindingKind::depends_on_schedule:
      return "refused: the operations depend on the schedule";
    case FindingKind::different_outputs:
      return "outputs that differ from seed to seed";
    case FindingKind::divergent_lanes:
      return "refused: the lanes of a warp part";
    case FindingKind::too_many_states:
      return "refused: too many states";
  }
  return "";
}

}  // namespace dma::host
