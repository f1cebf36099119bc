#pragma once

#include <dma/host/compiled.hpp>
#include <dma/host/emulation/exceeded.hpp>
#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/memory/kernel_memory.hpp>
#include <dma/host/emulation/watcher.hpp>
#include <dma/host/run_cta.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/host/emulated_thread.hpp>
#include <dma/machine/index3.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/record/bytes_before.hpp>
#include <dma/proof/record/global_accesses.hpp>
#include <dma/proof/record/operation_log.hpp>
#include <dma/proof/record/recording.hpp>
#include <dma/proof/record/recording_thread.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// What an error of a run is to a verdict.
[[nodiscard]] inline FindingKind kind_of(const std::exception& error) {
  return dynamic_cast<const host::Deadlock*>(&error) != nullptr           ? FindingKind::deadlock
         : dynamic_cast<const host::OutOfBounds*>(&error) != nullptr      ? FindingKind::out_of_bounds
         : dynamic_cast<const host::UnconvergedLanes*>(&error) != nullptr ? FindingKind::unconverged_lanes
         : dynamic_cast<const host::UnusedTile*>(&error) != nullptr       ? FindingKind::unused_tile
         : dynamic_cast<const host::Spin*>(&error) != nullptr             ? FindingKind::spinning
         : dynamic_cast<const host::OutOfTime*>(&error) != nullptr        ? FindingKind::out_of_time
         : dynamic_cast<const host::OutOfMemory*>(&error) != nullptr      ? FindingKind::out_of_memory
         : dynamic_cast<const host::PendingAtExit*>(&error) != nullptr    ? FindingKind::armed_at_exit
                                                                          : FindingKind::broken_contract;
}

/// Records what the threads of a CTA do, or those of all CTAs of a cluster.
class Recorder final : public host::detail::Watcher {
 public:
  /// @param polls_truly  false: where the library polls and both results must be correct, the answer is no
  /// @param earlier      a run of the CTA, which this one may repeat; null where there is none
  /// @param most_bytes   that the recording may take
  /// @param memory       names of arrays; null where none are known
  explicit Recorder(bool polls_truly, const Recording* earlier = nullptr, std::size_t most_bytes = SIZE_MAX,
                    const host::detail::KernelMemory* memory = nullptr)
      : polls_truly_(polls_truly), log_(most_bytes) {
    log_.recording().memory = memory;
    if (earlier != nullptr) {
      log_.number_as(*earlier);
    }
    if (earlier != nullptr && earlier->can_be_repeated()) {
      log_.repeat(*earlier);
    }
  }

  /// The grid is one of several, whose order is judged.
  void be_of_several(bool starts_early) {
    log_.recording().is_of_several = true;
    log_.recording().starts_early = starts_early;
  }
  /// Has memory kept that the run changes: all that no launch names, and words of atomics.
  void keep_before(BytesBefore& before) {
    const host::detail::KernelMemory* const memory = log_.recording().memory;
    log_.keep_before(before, memory == nullptr || !memory->judges(machine::Access::write));
  }

  [[nodiscard]] machine::EmulatedThread& watch(machine::EmulatedThread& thread) override {
    Recording& recording = log_.recording();
    if (threads_.empty()) {
      recording.block = thread.block();
      recording.blocks = thread.blocks();
      const auto pitch = static_cast<long long>(thread.cluster_pitch());
      recording.ctas = thread.ctas_together();
      recording.cluster = thread.cluster_size();
      recording.shared_pitch = pitch == 0 ? recording.shared_pitch : pitch;
      log_.begin(thread.shared(),
                 thread.cluster_pitch() * static_cast<std::size_t>(thread.ctas_together() - 1) + thread.shared_bytes());
    }
    recording.threads.emplace_back();
    recording.global.emplace_back();
    recording.apart.emplace_back();
    recording.answers.emplace_back();
    recording.counts.emplace_back();
    recording.found.emplace_back();
    threads_.push_back(std::make_unique<RecordingThread>(log_, thread, threads_.size(), polls_truly_));
    return *threads_.back();
  }
  void end_thread(machine::EmulatedThread& watched) override { static_cast<RecordingThread&>(watched).end(); }

  /// The recording of a CTA that has ended.
  ///
  /// @param error  what it threw; null where it ended well
  [[nodiscard]] Recording take(const std::exception* error) {
    Recording& recording = log_.recording();
    recording.rings = log_.rings().rings();
    recording.repeats_earlier = error == nullptr && log_.has_repeated();
    if (recording.repeats_earlier) {
      return std::move(recording);
    }
    log_.stop_repeating();
    if (error != nullptr) {
      recording.error = error->what();
      recording.error_kind = kind_of(*error);
    }
    if constexpr (sees_every_access) {
      GlobalAccesses(recording).settle();
    }
    return std::move(recording);
  }

 private:
  bool polls_truly_;
  CtaLog log_;
  std::vector<std::unique_ptr<RecordingThread>> threads_;
};

/// Runs one CTA of a grid and records it. What the run throws is part of the recording.
///
/// @param earlier  a run of the same CTA; where this one does the same, the recording is empty and says so
/// @param before   what the run changes of memory that is not restored elsewhere, to undo it; null: none
[[nodiscard]] inline Recording record_cta(host::detail::CtaRun run, const host::detail::CtaBody& body, bool polls_truly,
                                          const Recording* earlier = nullptr, BytesBefore* before = nullptr) {
  Recorder recorder(polls_truly, earlier, run.limits.recorded_bytes, run.memory);
  if (before != nullptr) {
    recorder.keep_before(*before);
  }
  if (run.is_of_several) {
    recorder.be_of_several(body.starts_early);
  }
  run.watcher = &recorder;
  try {
    host::detail::run_cta(run, body);
  } catch (const std::bad_alloc&) {
    const host::OutOfMemory error = host::detail::no_memory_for("a run that is recorded");
    return recorder.take(&error);
  } catch (const std::exception& error) {
    return recorder.take(&error);
  }
  return recorder.take(nullptr);
}
template <KernelBody Kernel, class... Args>
[[nodiscard]] Recording record(const Kernel& kernel, Index3 block, Index3 blocks, unsigned seed, bool polls_truly,
                               Args... args) {
  return record_cta({.block = block, .grid = blocks, .seed = seed}, host::detail::cta_body(kernel, args...),
                    polls_truly);
}

}  // namespace dma::inline v0_1::proof::detail
