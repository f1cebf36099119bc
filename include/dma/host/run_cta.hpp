#pragma once

#include <dma/host/compiled.hpp>
#include <dma/host/emulation/cta_shape.hpp>
#include <dma/host/emulation/grid_counters.hpp>
#include <dma/host/emulation/watcher.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/index3.hpp>

#if DMA_HAS_EMULATOR
#include <dma/host/emulation/cta_emulator.hpp>
#endif

#include <cstddef>
#include <functional>

namespace dma::host {

/// Which CTA of which grid runs, and how.
struct CtaRun {
  Index3 block;
  Index3 grid;
  unsigned seed = 0;           ///< of the order in which threads run; 0: by rank, round after round
  Watcher* watcher = nullptr;  ///< null where threads are neither recorded nor scheduled
};

/// What each thread of a CTA runs: a kernel body with its arguments.
struct CtaBody {
  int threads;
  std::size_t shared_bytes;
  bool starts_early;
  std::function<void()> run;
};

/// @pre The kernel and its arguments exist as long as the body.
template <KernelBody Kernel, class... Args>
[[nodiscard]] CtaBody cta_body(const Kernel& kernel, Args&... args) {
  return {Kernel::Layout::threads, static_cast<std::size_t>(SharedOf<Kernel>::bytes),
          kernel_traits<Kernel>.programmatic_launch, [&] {
            KernelCta<Kernel> self;
            kernel(self, args...);
          }};
}

/// Runs a body in each thread of one emulated CTA.
///
/// @throw  what `CtaEmulator::run` throws
DMA_COMPILED void run_cta(const CtaRun& run, const CtaBody& body);
#if DMA_HAS_EMULATOR
DMA_COMPILED void run_cta(const CtaRun& run, const CtaBody& body) {
  CtaEmulator({body.threads, body.shared_bytes, run.block, run.grid, body.starts_early}, body.run, run.seed,
              run.watcher)
      .run();
  if (GridCounters* const grid = GridCounters::running()) {
    grid->end_cta();
  }
}
#endif

template <KernelBody Kernel, class... Args>
void run_cta(const CtaRun& run, const Kernel& kernel, Args&... args) {
  run_cta(run, cta_body(kernel, args...));
}

/// Calls `visit(block)` for the CTAs of a grid, in the order in which the host runs them, until it returns false.
template <class Visit>
void for_each_block(Index3 grid, const Visit& visit) {
  const GridCounters counters(static_cast<long long>(grid.x) * grid.y * grid.z);
  for (int z = 0; z < grid.z; ++z) {
    for (int y = 0; y < grid.y; ++y) {
      for (int x = 0; x < grid.x; ++x) {
        if (!visit(Index3{x, y, z})) {
          return;
        }
      }
    }
  }
}

}  // namespace dma::host
