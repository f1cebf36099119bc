#pragma once

#include <dma/host/compiled.hpp>
#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/run_cta.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/index3.hpp>
#include <dma/proof/verdict.hpp>

#if DMA_DETAIL_HAS_EMULATOR
#include <dma/proof/executions/replay_execution.hpp>
#include <dma/proof/replay/replayer.hpp>
#include <dma/proof/replay/schedule.hpp>
#endif

namespace dma::inline v0_1::proof {

namespace detail {

/// What `replay` does, for a body with its arguments.
DMA_DETAIL_COMPILED void replay_grid(const Verdict& verdict, Index3 grid, const host::detail::CtaBody& body);

}  // namespace detail

/// Runs the CTA of a verdict along its schedule, the shortest that fails, and then on to its end, so that a debugger's
/// breakpoints or prints show the fault. The CTAs before it run first, as in `launch`; those after it do not run.
///
/// Of a verdict on an execution all CTAs run together, and each read of a word of atomics sees the write that the
/// timeline names, also where no order of the accesses one after another has it.
///
/// A race or another silent fault may show in what the kernel writes.
///
/// @param verdict  with a schedule, of `explore` or `prove` with the same kernel, grid and arguments
/// @pre Global memory is as it was before `explore` or `prove`.
/// @throw KernelError  the verdict has no schedule, or belongs to another kernel or grid
/// @throw  what the kernel throws, a `Deadlock` for example
template <KernelBody Kernel, class... Args>
void replay(const Verdict& verdict, const Kernel& kernel, Index3 grid, Args... args) {
  dma::detail::check_body<Kernel>();
  dma::detail::check_arguments<Kernel>(args...);
  detail::replay_grid(verdict, grid, host::detail::cta_body(kernel, args...));
}

#if DMA_DETAIL_HAS_EMULATOR

namespace detail {

DMA_DETAIL_COMPILED void replay_grid(const Verdict& verdict, Index3 grid, const host::detail::CtaBody& body) {
  if (verdict.schedule == nullptr) {
    throw host::KernelError(
        "dma::proof::replay: the verdict has no schedule, because nothing is wrong or no search of warps found it; "
        "launch the kernel with the verdict's seed instead");
  }
  const Schedule& schedule = *verdict.schedule;
  if (schedule.blocks != grid || schedule.threads != body.threads) {
    throw host::KernelError(
        "dma::proof::replay: the verdict is about another grid, or a kernel of another number of threads; replay what "
        "was judged");
  }
  if (!schedule.execution.operations.empty()) {
    return replay_execution(verdict, body);
  }
  const auto run = [&](Index3 block) {
    if (block != schedule.block) {
      host::detail::run_cta({.block = block, .grid = grid, .seed = verdict.seed}, body);
      return true;
    }
    Replayer replayer(schedule);
    host::detail::run_cta({.block = block, .grid = grid, .watcher = &replayer}, body);
    return false;
  };
  host::detail::for_each_block(grid, verdict.seed, run, 1, verdict.cancellations);
}

}  // namespace detail

#endif

}  // namespace dma::inline v0_1::proof
