#pragma once

#include <dma/host/compiled.hpp>
#include <dma/host/emulation/exceeded.hpp>
#include <dma/host/global_arrays.hpp>
#include <dma/host/run_cta.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/index3.hpp>

#include <new>
#include <vector>

namespace dma::inline v0_1::host {

/// How the host runs a grid.
struct LaunchOptions {
  unsigned seed = 0;  ///< of the order in which CTAs and threads run; 0: by index, threads round after round
  /// Where CTAs cancel others that have not begun (`PendingCtas`): which one begins first, and what each request gives,
  /// as a number of n! 2^(n-1) for n clusters. Below 0 the seed chooses.
  long long cancellations = -1;
  double spin_seconds = 5;  ///< of CPU time that a thread may run without a wait of the library
  /// The arrays that the kernel reads and writes, as those of `proof::Options`: it may access no others.
  std::vector<detail::Input> inputs = {};
  std::vector<detail::Output> outputs = {};
  bool has_other_arrays = false;  ///< true: it accesses others too, so that no array's bounds are judged
};

namespace detail {

/// Runs a body in the threads of one CTA (or cluster) of a grid after another.
///
/// @throw  what `run_cta` throws, and `KernelError` for a grid that is empty or not whole clusters
DMA_DETAIL_COMPILED void launch_grid(const LaunchOptions& options, Index3 grid, const CtaBody& body);
#if DMA_DETAIL_HAS_EMULATOR
DMA_DETAIL_COMPILED void launch_grid(const LaunchOptions& options, Index3 grid, const CtaBody& body) {
  try {
    const EmulatorMemory of_emulator(__builtin_frame_address(0));
    KernelMemory memory = memory_of(body, options.inputs, options.outputs, options.has_other_arrays);
    const auto run = [&](Index3 block) {
      run_cta({.block = block,
               .grid = grid,
               .seed = options.seed,
               .limits = {.spin_seconds = options.spin_seconds},
               .memory = &memory},
              body);
      return true;
    };
    for_each_block(grid, options.seed, run, body.cluster, options.cancellations);
  } catch (const std::bad_alloc&) {
    throw no_memory_for("a launch");
  }
}
#endif

}  // namespace detail

/// Runs a kernel body on the CPU: one CTA (or cluster) after another, every thread emulated, in one process and
/// repeatably.
///
/// Never hangs: when no thread of a CTA can continue, it throws a `Deadlock` that names the role, the slot and the
/// pipeline. An exception in a thread, a broken precondition for example, ends the launch and is thrown from here.
///
/// @param options  `seed` chooses the order of threads and copies (`ThreadOrder`); `inputs` and `outputs` bound
///                 accesses
/// @param kernel   a kernel body (dma/kernel/cta.hpp): `kernel(cta, args...)` is called in every thread
/// @param grid     CTAs along x, y and z
/// @param args     what the body takes after its CTA; pointers are to the host's memory
/// @throw KernelError  for a deadlock, a barrier used against its rules, an empty grid, or a grid of parts of clusters
/// @throw OutOfBounds  for an access outside of `Shared`, or of the arrays where they are known: by `options`, or from
///                     an argument that is a span. In a program that sees every access, for each load and store of the
///                     kernel, else for those of the library and its copies. It is not made.
/// @throw OutOfMemory  where the process has no memory for the emulated threads
/// @throw  what a thread of the kernel or the body's `expects` throws
template <KernelBody Kernel, class... Args>
void launch(const LaunchOptions& options, const Kernel& kernel, Index3 grid, Args... args) {
  dma::detail::check_body<Kernel>();
  dma::detail::check_arguments<Kernel>(args...);
  detail::launch_grid(options, grid, detail::cta_body(kernel, args...));
}

template <KernelBody Kernel, class... Args>
void launch(const Kernel& kernel, Index3 grid, Args... args) {
  launch(LaunchOptions{}, kernel, grid, args...);
}

}  // namespace dma::inline v0_1::host
