#pragma once

#include <dma/config.hpp>
#include <dma/machine/gpu/device_log.hpp>
#include <dma/machine/gpu/jitter.hpp>
#include <dma/machine/gpu/ptx/warp.hpp>

/// Called by the GPU model around each operation that other threads can observe. Nothing in an ordinary build.
#if defined(__CUDA_ARCH__)

namespace dma::inline v0_1::machine {

DMA_DEVICE void log_only(Step step, int count = 0) { log_step(step, count); }
DMA_DEVICE void begin_step(Step step, int count = 0) {
  log_step(step, count);
  jitter();
}
/// The same at a phase barrier. @param rank  of the CTA in the cluster that has it, -1 for the thread's own
DMA_DEVICE void begin_step(Step step, const void* barrier, int count, int rank = LoggedStep::none) {
  log_phase_step(step, barrier, count, rank);
  jitter();
}
/// The same at a named barrier, whose lanes arrive converged.
DMA_DEVICE void begin_named_step(Step step, int id, int threads) {
  log_named_step(step, id, threads);
  jitter();
  if constexpr (DMA_JITTER != 0) {
    ptx::sync_warp();
  }
}
/// The same for a copy into or out of shared memory.
///
/// @param barrier  null where it completes on none
/// @param rank     of the CTA in the cluster that it goes to, -1 for the thread's own
DMA_DEVICE void begin_copy(Step step, const void* barrier, const void* place, int bytes, int rank = LoggedStep::none) {
  log_copy(step, barrier, place, bytes, rank);
  jitter();
}
/// The same for one that goes to the first `ctas` CTAs of the cluster: an entry for each.
DMA_DEVICE void begin_multicast(const void* barrier, const void* place, int bytes, int ctas) {
  log_multicast(barrier, place, bytes, ctas);
  jitter();
}
DMA_DEVICE void end_step() { jitter(); }

}  // namespace dma::inline v0_1::machine

#endif
