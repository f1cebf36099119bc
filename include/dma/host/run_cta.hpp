#pragma once

#include <dma/host/emulation/cta_emulator.hpp>
#include <dma/host/emulation/watcher.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/index3.hpp>

#include <cstddef>

namespace dma::host {

/// Which CTA of which grid runs, and how.
struct CtaRun {
  Index3 block;
  Index3 grid;
  unsigned seed = 0;           ///< of the order in which threads run; 0: by rank, round after round
  Watcher* watcher = nullptr;  ///< null where threads are neither recorded nor scheduled
};

/// Runs a kernel body in each thread of one emulated CTA.
///
/// @throw  what `CtaEmulator::run` throws
template <KernelBody Kernel, class... Args>
void run_cta(const CtaRun& run, const Kernel& kernel, Args&... args) {
  const CtaShape shape{Kernel::Layout::threads, static_cast<std::size_t>(SharedOf<Kernel>::bytes), run.block, run.grid};
  const auto body = [&] {
    KernelCta<Kernel> self;
    kernel(self, args...);
  };
  CtaEmulator(shape, body, run.seed, run.watcher).run();
}

/// Calls `visit(block)` for the CTAs of a grid, in the order in which the host runs them, until it returns false.
template <class Visit>
void for_each_block(Index3 grid, const Visit& visit) {
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
