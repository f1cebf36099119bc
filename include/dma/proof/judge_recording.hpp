#pragma once

#include <dma/host/deadline.hpp>
#include <dma/host/emulation/line_of.hpp>
#include <dma/proof/clocks/clock_judge.hpp>
#include <dma/proof/common_bytes.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/finding_formatter.hpp>
#include <dma/proof/record/recorded_program.hpp>
#include <dma/proof/record/recording.hpp>
#include <dma/proof/record/warps.hpp>
#include <dma/proof/replay/schedule.hpp>
#include <dma/proof/search/search.hpp>
#include <dma/proof/verdict.hpp>
#include <dma/roles/role.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace dma::inline v0_1::proof::detail {

/// The fault is the exception that the run threw.
[[nodiscard]] inline Verdict verdict_of_error(const Recording& recording) {
  return {.kind = recording.error_kind, .message = recording.error};
}

/// Whether the error of a run explains a judge's finding. A broken contract ends the thread: others wait for it, and
/// barriers keep pending arrivals. Lanes that are not converged explain whatever follows. What explains an access out
/// of bounds is an index that was read too soon.
[[nodiscard]] inline bool is_explained_by_error(FindingKind kind, const Recording& recording) {
  const bool comes_of_ending =
      kind == FindingKind::deadlock || kind == FindingKind::armed_at_exit || kind == FindingKind::ended_cta;
  const bool gives_wrong_index = kind == FindingKind::race || kind == FindingKind::unfinished_copy ||
                                 (kind == FindingKind::none && recording.contents_fault.has_value());
  if (recording.error_kind == FindingKind::out_of_bounds) {
    return !gives_wrong_index;
  }
  return !recording.error.empty() &&
         (kind == FindingKind::none || recording.error_kind == FindingKind::unconverged_lanes ||
          (comes_of_ending && recording.error_kind != FindingKind::deadlock));
}

/// Whether the kernel polls, so that one run does not represent all schedules.
[[nodiscard]] inline bool depends_on_answers(const Recording& recording) { return recording.polls_by_itself; }
/// The verdict on a kernel that polls.
[[nodiscard]] inline Verdict refuse_polls() {
  return {.kind = FindingKind::depends_on_schedule,
          .message =
              "the kernel polls a barrier's phase, so its operations may depend on the schedule; wait for the phase "
              "instead"};
}

/// An access that is wrong whatever its order.
[[nodiscard]] inline Verdict verdict_of_contents(const Recording& recording) {
  const ContentsFault& fault = *recording.contents_fault;
  const std::string thread = recording.name_of_thread(static_cast<int>(fault.thread));
  if (fault.kind == FindingKind::broken_contract) {
    return {.kind = fault.kind,
            .message = thread + " of a body with programmatic_launch writes global memory" +
                       host::detail::line_of(fault.instruction, fault.caller) +
                       " before cta.grid_dependency_wait(), while the grids before may still use it; call it first, in "
                       "every thread, or synchronize with a thread that has"};
  }
  const bool is_barrier = fault.kind == FindingKind::accessed_barrier;
  host::detail::PipelineLetters pipelines = recording.pipelines;
  std::string text =
      std::string(name_of(fault.kind)) + ": " + thread +
      (fault.by_copy ? (fault.writes ? " copies to " : " copies out ") : (fault.writes ? " writes " : " reads ")) +
      recording.name_of({fault.byte, fault.byte + 1}, pipelines);
  text += is_barrier       ? ", in the word of an open mbarrier"
          : fault.is_stale ? ", which is left from the tile before"
                           : ", which no thread has written";
  text += host::detail::line_of(fault.instruction, fault.caller);
  text += is_barrier      ? "; close the pipeline first, or use other memory"
          : fault.by_copy ? "; fill the whole tile, or store a shorter one"
                          : "; write it first, or stop at the tile's size()";
  return {.kind = fault.kind, .message = std::move(text), .timeline = {.pipelines = pipelines.lines()}};
}

/// Judges a recording by a search of every schedule of its warps, within limits.
[[nodiscard]] inline Verdict judge_by_search(const Limits& limits, const Recording& recording) {
  if (depends_on_answers(recording)) {
    return refuse_polls();
  }
  if (recording.atomics != 0) {
    return {.kind = FindingKind::depends_on_schedule,
            .message = "the kernel has atomics of its own, whose order explore() does not follow; use prove()"};
  }
  if (recording.has_relaxed) {
    return {.kind = FindingKind::depends_on_schedule,
            .message =
                "the kernel has arrivals or waits that are relaxed, whose order explore() does not follow; use "
                "prove()"};
  }
  if (recording.uses_tensor_memory) {
    return {.kind = FindingKind::depends_on_schedule,
            .message = "the kernel uses tensor memory, whose order explore() does not follow; use prove()"};
  }
  std::optional<Program> program = program_of_warps(recording);
  if (!program && !recording.error.empty()) {
    // A thread that an error ended may be apart from the lanes of its warp.
    return verdict_of_error(recording);
  }
  if (!program) {
    return {.kind = FindingKind::divergent_lanes,
            .message =
                "the lanes of a warp diverge and do not synchronize in between; use prove(), which judges each thread"};
  }
  Search search(*program, limits);
  const Finding finding = search.judge();
  Verdict verdict{.kind = finding.kind, .states = search.states()};
  if (is_explained_by_error(finding.kind, recording)) {
    verdict = verdict_of_error(recording);
    verdict.states = search.states();
  } else if (verdict.is_proved() && recording.contents_fault) {
    verdict = verdict_of_contents(recording);
    verdict.states = search.states();
  } else if (!verdict.is_proved()) {
    FindingFormatter formatter(*program);
    verdict.message = formatter.describe(finding) + formatter.way_out(finding);
    if (finding.kind != FindingKind::too_many_states) {
      verdict.timeline = formatter.timeline(search.schedule(), finding);
      verdict.schedule = std::make_shared<const Schedule>(recording, *program, search.schedule());
    }
  }
  return verdict;
}

/// Whether a finding is about two lanes of one warp. The search moves warps, so no schedule of it shows one.
[[nodiscard]] inline bool is_inside_a_warp(const Finding& finding) noexcept {
  return finding.agent >= 0 && finding.other_agent >= 0 && finding.agent / warp_size == finding.other_agent / warp_size;
}

/// Why a race inside a warp has no schedule, and what orders it.
[[nodiscard]] inline std::string about_lanes(const Finding& finding) {
  if (finding.kind == FindingKind::unfinished_copy) {
    return "; the access is not behind a wait for the copy; wait for its barrier or for its group before";
  }
  return std::string("; both are lanes of one warp, and a schedule is of warps, so that none is drawn") +
         (finding.met_by_shuffle ? ""
                                 : "; call cta.sync_warp() between the accesses; where other warps use this memory "
                                   "too, compute.sync(), or cta.sync() outside of roles");
}

/// Judges a recording by happens-before, with a vector clock for each thread.
[[nodiscard]] inline Verdict judge_by_clocks(const Recording& recording, const Limits& limits = {}) {
  if (depends_on_answers(recording)) {
    return refuse_polls();
  }
  const Program program = program_of_threads(recording);
  if (recording.contents_fault && recording.contents_fault->kind != FindingKind::unwritten_bytes) {
    return verdict_of_contents(recording);
  }
  const host::detail::Deadline deadline(limits.seconds);
  const Finding finding = ClockJudge(program).judge(nullptr, &deadline);
  if (is_explained_by_error(finding.kind, recording) ||
      (finding.kind == FindingKind::out_of_time && !recording.error.empty())) {
    return verdict_of_error(recording);
  }
  if (finding.kind == FindingKind::out_of_time) {
    return {.kind = finding.kind};
  }
  if (finding.kind == FindingKind::none) {
    return recording.contents_fault ? verdict_of_contents(recording) : Verdict{};
  }
  FindingFormatter threads(program);
  Verdict verdict{.kind = finding.kind, .message = threads.describe(finding)};
  const CommonBytes common(finding, recording, threads.pipelines());
  const bool says_more = !common.access().empty() || !common.other_access().empty();
  verdict.message = host::detail::line_of_statement != nullptr && says_more
                        ? threads.describe(finding, common.access(), common.other_access())
                        : verdict.message + common.text();
  verdict.message += threads.way_out(finding);
  verdict.timeline.pipelines = threads.legend();
  // The shortest schedule, where a short search of the warps finds one. States end it, within a second, and no clock: a
  // verdict says the same on a slow machine. In the search a wait for products is for those of the warp.
  const Limits short_search{.states = std::min<std::size_t>(200'000, limits.states), .bytes = limits.bytes};
  const std::optional<Program> warps = recording.atomics == 0 && recording.ctas == 1 && !recording.uses_tensor_memory
                                           ? program_of_warps(recording)
                                           : std::nullopt;
  if (warps) {
    Search search(*warps, short_search);
    const Finding shortest = search.judge();
    if (shortest.kind != FindingKind::none && shortest.kind != FindingKind::too_many_states &&
        !(shortest.kind == FindingKind::unfinished_copy && recording.waits_for_warpgroups) &&
        !(recording.leaves_pending && FindingKind::armed_at_exit == shortest.kind)) {
      FindingFormatter formatter(*warps);
      std::string title = "by the shortest schedule, " + formatter.describe(shortest);
      verdict.timeline = formatter.timeline(search.schedule(), shortest);
      verdict.timeline.title = std::move(title);
      verdict.schedule = std::make_shared<const Schedule>(recording, *warps, search.schedule());
    }
  }
  if (verdict.schedule == nullptr && is_inside_a_warp(finding)) {
    verdict.message += about_lanes(finding);
  }
  return verdict;
}

}  // namespace dma::inline v0_1::proof::detail
