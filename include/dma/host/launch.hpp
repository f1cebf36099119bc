#pragma once

#include <dma/host/emulation/cta_emulator.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/index3.hpp>

#include <cstddef>

namespace dma::host {

/// How the host runs a grid.
struct LaunchOptions {
  unsigned seed = 0;  ///< of the order in which threads run; 0: by rank, round after round
};

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

template <KernelBody Kernel>
[[nodiscard]] constexpr CtaShape cta_shape(Index3 block, Index3 grid) {
  return {Kernel::Layout::threads, static_cast<std::size_t>(SharedOf<Kernel>::bytes), block, grid};
}

/// Runs one CTA of a grid.
template <KernelBody Kernel, class... Args>
void launch_block(unsigned seed, const Kernel& kernel, Index3 block, Index3 grid, Args&... args) {
  CtaEmulator cta(
      cta_shape<Kernel>(block, grid),
      [&] {
        KernelCta<Kernel> self;
        kernel(self, args...);
      },
      seed);
  cta.run();
}

/// Runs a kernel body on this machine: one CTA after another, every thread emulated, in one process and repeatably.
///
/// Never hangs: when no thread of a CTA can go on, throws `KernelError` that says which role waits on which slot of
/// which pipeline. What a thread throws, a broken precondition for one, ends the launch and is thrown from here.
///
/// @param kernel  a kernel body (dma/kernel/cta.hpp): `kernel(cta, args...)` is called in every thread
template <KernelBody Kernel, class... Args>
void launch(const LaunchOptions& options, const Kernel& kernel, Index3 grid, Args... args) {
  check_body<Kernel>();
  check_arguments<Kernel>(args...);
  if (grid.x < 1 || grid.y < 1 || grid.z < 1) {
    throw KernelError("dma::host::launch: a grid has at least one CTA along each axis");
  }
  for_each_block(grid, [&](Index3 block) {
    launch_block(options.seed, kernel, block, grid, args...);
    return true;
  });
}

template <KernelBody Kernel, class... Args>
void launch(const Kernel& kernel, Index3 grid, Args... args) {
  launch(LaunchOptions{}, kernel, grid, args...);
}

}  // namespace dma::host
