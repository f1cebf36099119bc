#pragma once

#include <dma/host/compiled.hpp>
#include <dma/host/deadline.hpp>
#include <dma/host/emulation/exceeded.hpp>
#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/launch.hpp>
#include <dma/host/run_cta.hpp>
#include <dma/machine/index3.hpp>
#include <dma/proof/proof_options.hpp>
#include <dma/proof/verdict.hpp>

#include <algorithm>
#include <cstddef>
#include <new>
#include <set>
#include <string>
#include <vector>

#if DMA_DETAIL_HAS_EMULATOR
#include <dma/proof/executions/explore_executions.hpp>
#include <dma/proof/judge_recording.hpp>
#include <dma/proof/proof_run.hpp>
#include <dma/proof/record/bytes_before.hpp>
#include <dma/proof/record/recorder.hpp>
#include <dma/proof/record/recording.hpp>
#endif

namespace dma::inline v0_1::proof::detail {

/// What judges the operations of the threads of a CTA, or of a cluster: vector clocks, or a search of every schedule.
enum class Judge : unsigned char { clocks, search };

class GridsInOrder;

/// Records a kernel body for each CTA or cluster of a grid, and judges each recording.
///
/// @param grids  of several, of which this is the last, whose order is judged; null: there is one
/// @param left   gets what an execution leaves in each output, where executions are explored; null: it is not wanted
[[nodiscard]] DMA_DETAIL_COMPILED Verdict judge_grid(const Options& options, Judge judge, Index3 grid,
                                                     const host::detail::CtaBody& body, GridsInOrder* grids = nullptr,
                                                     std::vector<std::vector<std::byte>>* left = nullptr);
/// Puts there what an execution left. CTAs that wait for one another cannot run one after the other.
///
/// Returns whether there was one.
inline bool leave_outputs(const std::vector<host::detail::Output>& outputs,
                          const std::vector<std::vector<std::byte>>& left) {
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::copy(left[i].begin(), left[i].end(), outputs[i].bytes.begin());
  }
  return !left.empty();
}

/// One launch of several.
struct GridBody {
  host::detail::CtaBody body;
  Index3 grid;
};
/// Judges grids in the order of a stream, each on the memory that those before it left, and restores the outputs. A
/// body that starts early is judged together with those before it, where every access is seen. The verdicts up to the
/// first that is no proof.
[[nodiscard]] DMA_DETAIL_COMPILED std::vector<Verdict> judge_grids(const Options& options,
                                                                   std::vector<GridBody> bodies);

#if DMA_DETAIL_HAS_EMULATOR
/// Notes which bounds were not judged, and whether the kernel's word was taken for what others write.
inline void note_memory(Verdict& verdict, const host::detail::KernelMemory& memory) {
  const bool judges_reads = memory.judges(machine::Access::read);
  const bool judges_writes = memory.judges(machine::Access::write);
  if (!judges_reads || !judges_writes) {
    verdict.not_judged.insert(judges_reads == judges_writes ? bounds_of_arrays
                              : judges_reads                ? bounds_of_writes
                                                            : bounds_of_reads);
  }
  if (const std::string pair = memory.adjoining(); !pair.empty() && (judges_reads || judges_writes)) {
    verdict.not_judged.insert("bounds between " + pair + " not judged, since they adjoin; allocate them apart");
  }
  if (memory.has_constants()) {
    verdict.not_judged.insert(constants_on_trust);
  }
}

/// A verdict that leaves this open too.
[[nodiscard]] inline Verdict and_open(Verdict verdict, const std::set<std::string>& open) {
  verdict.not_judged.insert(open.begin(), open.end());
  return verdict;
}

DMA_DETAIL_COMPILED Verdict judge_grid(const Options& options, Judge judge, Index3 grid,
                                       const host::detail::CtaBody& body, GridsInOrder* grids,
                                       std::vector<std::vector<std::byte>>* left) {
  if (options.seeds < 1) {
    throw host::KernelError(
        "dma::proof: a proof without a run proves nothing; set dma::proof::Options::seeds to at least 1");
  }
  if (body.cluster > 1 && judge == Judge::search) {
    return {.kind = FindingKind::cluster,
            .message = "the kernel body has clusters of " + std::to_string(body.cluster) +
                       " CTAs, and explore() searches the schedules of one CTA; use prove()"};
  }
  const host::detail::Deadline deadline(options.limits.seconds);
  host::detail::RunLimits limits{.deadline = &deadline};
  limits.spin_seconds = std::min(limits.spin_seconds, options.limits.seconds / 2);
  try {
    const host::detail::EmulatorMemory of_emulator(__builtin_frame_address(0));
    host::detail::KernelMemory memory =
        host::detail::memory_of(body, options.inputs, options.outputs, options.has_other_arrays);
    const bool explores = sees_every_access && judge != Judge::search;
    BytesBefore before;
    bool keeps = explores;
    const auto record = [&](Index3 block, unsigned seed, bool polls_truly, const Recording* earlier,
                            std::size_t most_bytes) {
      limits.recorded_bytes = most_bytes;
      return record_cta({block, grid, seed, limits, nullptr, &memory, grids != nullptr}, body, polls_truly, earlier,
                        keeps && seed == options.first_seed ? &before : nullptr);
    };
    const auto judge_recording = [&](const Recording& recording) {
      Limits rest = options.limits;
      rest.seconds = deadline.seconds_left();
      return judge == Judge::clocks ? judge_by_clocks(recording, rest) : judge_by_search(rest, recording);
    };
    const auto judge_runs = [&] { return ProofRun(options, memory, deadline, record, judge_recording, grids); };
    ProofRun proof = judge_runs();
    if (explores) {
      proof.stop_at_atomics();
    }
    Verdict verdict = proof.run(grid, body.cluster);
    keeps = false;
    if (!proof.meets_atomics()) {
      before.forget();
    } else {
      before.restore();
      limits.recorded_bytes = options.limits.bytes;
      limits.deadline = nullptr;
      verdict = explore_executions(options, {{0, 0, 0}, grid, 0, limits, nullptr, &memory, grids != nullptr}, body,
                                   deadline, grids, left);
      // A thread without an end, for example: the runs say so.
      if (verdict.is_proved() && verdict.executions == 0) {
        limits.deadline = &deadline;
        verdict = and_open(judge_runs().run(grid, body.cluster), verdict.not_judged);
      }
    }
    note_memory(verdict, memory);
    return verdict;
  } catch (const std::bad_alloc&) {
    return {.kind = FindingKind::out_of_memory, .message = host::detail::no_memory_for("a proof").what()};
  }
}

DMA_DETAIL_COMPILED std::vector<Verdict> judge_grids(const Options& options, std::vector<GridBody> bodies) {
  std::vector<std::vector<std::byte>> before;
  for (const host::detail::Output& output : options.outputs) {
    before.emplace_back(output.bytes.begin(), output.bytes.end());
  }
  GridsInOrder order;
  std::vector<Verdict> verdicts;
  for (auto& [body, grid] : bodies) {
    const std::size_t number = verdicts.size() + 1;
    body.starts_early = body.starts_early && (number > 1 || !sees_every_access);
    order.begin("grid " + std::to_string(number), body.starts_early);
    std::vector<std::vector<std::byte>> left;
    verdicts.push_back(judge_grid(options, Judge::clocks, grid, body, sees_every_access ? &order : nullptr, &left));
    if (!verdicts.back().is_proved()) {
      break;
    }
    body.starts_early = false;
    // A launch leaves other arrays too.
    if (!options.has_other_arrays && leave_outputs(options.outputs, left)) {
      continue;
    }
    host::detail::launch_grid({.cancellations = options.cancellations,
                               .inputs = options.inputs,
                               .outputs = options.outputs,
                               .has_other_arrays = options.has_other_arrays},
                              grid, body);
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    std::copy(before[i].begin(), before[i].end(), options.outputs[i].bytes.begin());
  }
  return verdicts;
}
#endif

}  // namespace dma::inline v0_1::proof::detail
