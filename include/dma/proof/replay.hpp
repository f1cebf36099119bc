#pragma once

#include <dma/host/emulation/cta_emulator.hpp>
#include <dma/host/launch.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/emulated_thread.hpp>
#include <dma/machine/index3.hpp>
#include <dma/proof/replay/replay_schedule.hpp>
#include <dma/proof/replay/replay_thread.hpp>
#include <dma/proof/replay/schedule.hpp>
#include <dma/proof/verdict.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace dma::host {

/// Leads the threads of a CTA along a schedule. After the last move all warps go on up to their next ones, before any
/// copy ends that is under way; then the CTA goes on by itself.
class Replayer final : public machine::Watcher {
 public:
  explicit Replayer(const Schedule& schedule)
      : turns_(
            schedule, [this](const Move& move) { end_copies(move); }, [this] { let_go(); }) {
    turns_.begin();
  }

  [[nodiscard]] machine::EmulatedThread& watch(machine::EmulatedThread& thread) override {
    threads_.push_back(std::make_unique<ReplayThread>(turns_, thread, threads_.size()));
    return *threads_.back();
  }
  /// Called by each thread of the CTA when its kernel has returned.
  void end_thread() { turns_.note_exit(); }

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

  ReplaySchedule turns_;
  std::vector<std::unique_ptr<ReplayThread>> threads_;
};

/// Runs the CTA that a verdict is about along its schedule, the shortest that fails, and then on to its end: where a
/// debugger's breakpoints, or prints, see it happen. The CTAs before it run first, as in `launch`; those after it do
/// not.
///
/// Throws what the kernel throws, a deadlock for one. What fails silently, a race for one, may show in what it writes.
///
/// @param verdict  with a schedule, of `explore` or `prove` with the same kernel, grid and arguments
/// @pre Global memory is as it was before that.
template <KernelBody Kernel, class... Args>
void replay(const Verdict& verdict, const Kernel& kernel, Index3 grid, Args... args) {
  check_body<Kernel>();
  check_arguments<Kernel>(args...);
  if (verdict.schedule == nullptr) {
    throw KernelError(
        "dma::host::replay: the verdict has no schedule: nothing is wrong, or no search of warps has found it; launch "
        "the kernel with the verdict's seed instead");
  }
  const Schedule& schedule = *verdict.schedule;
  if (schedule.blocks != grid || schedule.steps.size() != static_cast<std::size_t>(Kernel::Layout::threads)) {
    throw KernelError(
        "dma::host::replay: the verdict is about another grid, or a kernel of another number of threads; replay what "
        "was judged");
  }
  for_each_block(grid, [&](Index3 block) {
    if (block != schedule.block) {
      launch_block(verdict.seed, kernel, block, grid, args...);
      return true;
    }
    Replayer replayer(schedule);
    CtaEmulator cta(
        cta_shape<Kernel>(block, grid),
        [&] {
          KernelCta<Kernel> self;
          kernel(self, args...);
          replayer.end_thread();
        },
        0, &replayer);
    cta.run();
    return false;
  });
}

}  // namespace dma::host
