#pragma once

#include <dma/proof/clocks/clock_judge.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/record/recording.hpp>
#include <dma/proof/record/warps.hpp>
#include <dma/proof/replay/schedule.hpp>
#include <dma/proof/search/search.hpp>
#include <dma/proof/timeline.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

namespace dma::host {

/// What was found out about a kernel: nothing wrong under any schedule, or the first thing that is.
struct Verdict {
  FindingKind kind = FindingKind::none;
  std::string message = {};                       ///< what is wrong, who does it, and where in the source
  std::string timeline = {};                      ///< the shortest schedule that was found, a move a line
  std::shared_ptr<const Schedule> schedule = {};  ///< the same, for `replay`
  unsigned seed = 0;                              ///< of the run: `launch` with it does the same operations
  std::size_t operations = 0;
  std::size_t states = 0;  ///< of the search
  int runs = 0;
  double seconds = 0;

  [[nodiscard]] bool is_proved() const noexcept { return kind == FindingKind::none; }
};

inline std::ostream& operator<<(std::ostream& out, const Verdict& verdict) {
  out << name_of(verdict.kind) << " (" << verdict.runs << " runs, " << verdict.operations << " operations";
  if (verdict.states > 0) {
    out << ", " << verdict.states << " states";
  }
  out << ")\n";
  if (!verdict.is_proved()) {
    out << verdict.message << '\n'
        << verdict.timeline << "  dma::host::launch with seed " << verdict.seed << " makes the run that was judged\n";
    if (verdict.schedule != nullptr) {
      out << "  dma::host::replay of this verdict leads it along the schedule\n";
    }
  }
  return out;
}

/// What the run threw.
[[nodiscard]] inline Verdict verdict_of_error(const Recording& recording) {
  return {.kind = recording.is_deadlock ? FindingKind::deadlock : FindingKind::broken_contract,
          .message = recording.error};
}

/// Whether a run's own error says more than a judge's finding: where a contract ended the run, others wait for the
/// thread that broke it, and what it held stays armed.
[[nodiscard]] inline bool is_explained_by_error(FindingKind kind, const Recording& recording) {
  const bool comes_of_ending = kind == FindingKind::deadlock || kind == FindingKind::armed_at_exit;
  return !recording.error.empty() && (kind == FindingKind::none || (comes_of_ending && !recording.is_deadlock));
}

/// A run that cannot stand for others, because the kernel asked how far these are.
[[nodiscard]] inline bool depends_on_answers(const Recording& recording) { return recording.polls_by_itself; }
[[nodiscard]] inline Verdict refuse_polls() {
  return {.kind = FindingKind::depends_on_schedule,
          .message =
              "the kernel asks whether a barrier's phase is complete, so that what it does may depend on it; "
              "wait for the phase instead"};
}

[[nodiscard]] inline Verdict judge_by_search(const SearchLimits& limits, const Recording& recording) {
  if (depends_on_answers(recording)) {
    return refuse_polls();
  }
  std::optional<Program> program = program_of_warps(recording);
  if (!program) {
    return {.kind = FindingKind::divergent_lanes,
            .message = "lanes of a warp do different things and do not meet in between; prove() has a clock a thread"};
  }
  Search search(*program, limits);
  const Finding finding = search.judge();
  Verdict verdict{.kind = finding.kind, .states = search.states()};
  if (is_explained_by_error(finding.kind, recording)) {
    verdict = verdict_of_error(recording);
    verdict.states = search.states();
  } else if (!verdict.is_proved()) {
    FindingFormatter narrator(*program);
    verdict.message = narrator.describe(finding);
    if (finding.kind != FindingKind::too_many_states) {
      verdict.timeline = narrator.tell(search.schedule(), finding);
      verdict.schedule = std::make_shared<const Schedule>(recording, *program, search.schedule());
    }
  }
  return verdict;
}

[[nodiscard]] inline Verdict judge_by_clocks(const Recording& recording) {
  if (depends_on_answers(recording)) {
    return refuse_polls();
  }
  const Program program = program_of_threads(recording);
  const Finding finding = ClockJudge(program).judge();
  if (is_explained_by_error(finding.kind, recording)) {
    return verdict_of_error(recording);
  }
  if (finding.kind == FindingKind::none) {
    return {};
  }
  Verdict verdict{.kind = finding.kind, .message = FindingFormatter(program).describe(finding)};
  // The shortest schedule, where a search of the warps finds one soon.
  constexpr SearchLimits soon{.states = 200'000, .seconds = 2};
  if (const std::optional<Program> warps = program_of_warps(recording)) {
    Search search(*warps, soon);
    const Finding shortest = search.judge();
    if (shortest.kind != FindingKind::none && shortest.kind != FindingKind::too_many_states) {
      FindingFormatter narrator(*warps);
      verdict.timeline = "by the shortest schedule, " + narrator.describe(shortest) + '\n';
      verdict.timeline += narrator.tell(search.schedule(), shortest);
      verdict.schedule = std::make_shared<const Schedule>(recording, *warps, search.schedule());
    }
  }
  return verdict;
}

}  // namespace dma::host
