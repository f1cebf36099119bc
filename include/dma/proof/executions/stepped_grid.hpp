#pragma once

#include <dma/host/emulation/cluster_emulator.hpp>
#include <dma/host/emulation/cta_shape.hpp>
#include <dma/host/emulation/exceeded.hpp>
#include <dma/host/emulation/grid_counters.hpp>
#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/watcher.hpp>
#include <dma/host/run_cta.hpp>
#include <dma/machine/host/emulated_thread.hpp>
#include <dma/machine/index3.hpp>
#include <dma/proof/executions/atomic_words.hpp>
#include <dma/proof/executions/stepped_run.hpp>
#include <dma/proof/executions/stepped_thread.hpp>
#include <dma/proof/record/recorder.hpp>
#include <dma/proof/record/recording.hpp>
#include <dma/proof/record/recording_thread.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// A run of all CTAs of a grid together, whose threads stop before each atomic access until
/// they are told what they find. It is recorded. Global memory is at its end as it was before.
class SteppedGrid final : public host::detail::Watcher {
 public:
  SteppedGrid(AtomicWords& words, const host::detail::CtaRun& run, const host::detail::CtaBody& body)
      : words_(words),
        counters_(static_cast<long long>(run.grid.x) * run.grid.y * run.grid.z),
        ctas_(run.grid.x * run.grid.y * run.grid.z),
        threads_of_cta_(body.threads),
        recorder_(false, nullptr, run.limits.recorded_bytes, run.memory),
        call_([&body] { body.call(body.objects.data()); }),
        emulator_({.threads = body.threads,
                   .shared_bytes = body.shared_bytes,
                   .block = {0, 0, 0},
                   .blocks = run.grid,
                   .starts_early = body.starts_early && !run.is_of_several,
                   .memory = run.memory},
                  body.cluster, call_, run.limits, this) {
    if (run.is_of_several) {
      recorder_.be_of_several(body.starts_early);
    }
    emulator_.begin();
    advance();
  }

  [[nodiscard]] machine::EmulatedThread& watch(machine::EmulatedThread& thread) override {
    if (!run_) {
      const std::size_t bytes =
          thread.cluster_pitch() * static_cast<std::size_t>(thread.ctas_together() - 1) + thread.shared_bytes();
      run_.emplace(words_, WatchedMemory(thread.shared(), bytes),
                   static_cast<std::size_t>(ctas_) * static_cast<std::size_t>(threads_of_cta_));
    }
    threads_.push_back(std::make_unique<SteppedThread>(*run_, thread, static_cast<int>(threads_.size())));
    auto& recorder = static_cast<RecordingThread&>(recorder_.watch(*threads_.back()));
    recorders_.push_back(&recorder);
    threads_.back()->set_before_pause(
        [](machine::EmulatedThread& it) { static_cast<RecordingThread&>(it).end_accesses(); }, recorder);
    return recorder;
  }
  void end_thread(machine::EmulatedThread& watched) override {
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      if (recorders_[i] == &watched) {
        threads_[i]->end();
      }
    }
    recorder_.end_thread(watched);
  }

  [[nodiscard]] const SteppedThread& thread(int number) const { return *threads_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] int threads() const { return static_cast<int>(threads_.size()); }
  /// A thread finds this, and all run as far as they can.
  void grant(int thread, std::uint64_t value) {
    threads_[static_cast<std::size_t>(thread)]->grant(value);
    advance();
  }
  [[nodiscard]] bool has_failed() const { return emulator_.has_failed(); }
  /// The value of a word in memory.
  void set_word(int word, std::uint64_t value) { run_->set(word, value); }
  /// Ends the run, and has what it did. A fault that it threw is in it.
  [[nodiscard]] Recording end() {
    try {
      end_all();
    } catch (const std::exception& error) {
      return recorder_.take(&error);
    }
    return recorder_.take(nullptr);
  }
  /// Ends the run, and leaves global memory as it is then.
  ///
  /// @throw  what `ClusterEmulator::end` throws
  void end_and_leave() {
    run_->before.forget();
    end_all();
  }

 private:
  void end_all() {
    emulator_.end();
    for (int cta = 0; cta < ctas_; ++cta) {
      counters_.end_cta();
    }
  }
  void advance() {
    emulator_.advance();
    for (std::size_t thread = 0; thread < threads_.size(); ++thread) {
      const std::size_t first = thread - thread % static_cast<std::size_t>(threads_of_cta_);
      threads_[thread]->find_common_poll(
          [&](int other) -> const SteppedThread& { return *threads_[first + static_cast<std::size_t>(other)]; });
    }
  }

  AtomicWords& words_;
  host::detail::GridCounters counters_;
  int ctas_;
  int threads_of_cta_;
  std::optional<SteppedRun> run_;
  Recorder recorder_;
  std::vector<std::unique_ptr<SteppedThread>> threads_;
  std::vector<machine::EmulatedThread*> recorders_;
  std::function<void()> call_;
  host::detail::ClusterEmulator emulator_;
};

}  // namespace dma::inline v0_1::proof::detail
