#pragma once

#include <dma/host/emulation/watcher.hpp>
#include <dma/machine/host/emulated_thread.hpp>
#include <dma/proof/replay/replay_schedule.hpp>
#include <dma/proof/replay/replay_thread.hpp>
#include <dma/proof/replay/schedule.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace dma::inline v0_1::proof::detail {

/// Runs the threads of a CTA along a schedule. After the last move each warp runs up to its next move, before any copy
/// in flight completes; then the emulator schedules the CTA again.
class Replayer final : public host::detail::Watcher {
 public:
  explicit Replayer(const Schedule& schedule)
      : schedule_(
            schedule, [this](const Move& move) { end_copies(move); }, [this] { let_go(); }) {
    schedule_.begin();
  }

  [[nodiscard]] machine::EmulatedThread& watch(machine::EmulatedThread& thread) override {
    threads_.push_back(std::make_unique<ReplayThread>(schedule_, thread, threads_.size()));
    return *threads_.back();
  }
  void end_thread(machine::EmulatedThread&) override { schedule_.note_exit(); }

 private:
  void end_copies(const Move& move) {
    for (std::size_t lane = 0; lane < 32; ++lane) {
      if ((move.lanes >> lane & 1U) != 0) {
        threads_[static_cast<std::size_t>(move.warp) * 32 + lane]->end_copies(move.began);
      }
    }
  }
  void let_go() {
    for (const auto& thread : threads_) {
      thread->let_go();
    }
  }

  ReplaySchedule schedule_;
  std::vector<std::unique_ptr<ReplayThread>> threads_;
};

}  // namespace dma::inline v0_1::proof::detail
