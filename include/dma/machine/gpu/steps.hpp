#pragma once

#include <dma/config.hpp>
#include <dma/machine/gpu/device_log.hpp>
#include <dma/machine/gpu/jitter.hpp>
#include <dma/machine/gpu/step.hpp>

/// Called by the GPU model around each operation that other threads can observe. Nothing in an ordinary build.
#if defined(__CUDA_ARCH__)

namespace dma::machine {

DMA_DEVICE void log_only([[maybe_unused]] Step step, [[maybe_unused]] int count = 0) {
#if DMA_DETAIL_LOG
  log_step({step, LoggedStep::none, LoggedStep::none, count});
#endif
}
DMA_DEVICE void begin_step(Step step, int count = 0) {
  log_only(step, count);
#if DMA_JITTER
  jitter();
#endif
}
/// The same at a phase barrier. @param rank  of the CTA in the cluster that has it, -1 for the thread's own
DMA_DEVICE void begin_step([[maybe_unused]] Step step, [[maybe_unused]] const void* barrier, [[maybe_unused]] int count,
                           [[maybe_unused]] int rank = LoggedStep::none) {
#if DMA_DETAIL_LOG
  log_step({step, shared_offset(barrier), LoggedStep::none, count, rank});
#endif
#if DMA_JITTER
  jitter();
#endif
}
/// The same at a named barrier, whose lanes arrive converged.
DMA_DEVICE void begin_named_step([[maybe_unused]] Step step, [[maybe_unused]] int id, [[maybe_unused]] int threads) {
#if DMA_DETAIL_LOG
  log_step({step, id, LoggedStep::none, threads});
#endif
#if DMA_JITTER
  jitter();
  ptx::sync_warp();
#endif
}
/// The same for a copy into or out of shared memory.
///
/// @param barrier  null where it completes on none
/// @param rank     of the CTA in the cluster that it goes to, -1 for the thread's own
DMA_DEVICE void begin_copy([[maybe_unused]] Step step, [[maybe_unused]] const void* barrier,
                           [[maybe_unused]] const void* place, [[maybe_unused]] int bytes,
                           [[maybe_unused]] int rank = LoggedStep::none) {
#if DMA_DETAIL_LOG
  log_step({step, barrier == nullptr ? LoggedStep::none : shared_offset(barrier), shared_offset(place), bytes, rank});
#endif
#if DMA_JITTER
  jitter();
#endif
}
/// The same for one that goes to the first `ctas` CTAs of the cluster: an entry for each.
DMA_DEVICE void begin_multicast([[maybe_unused]] const void* barrier, [[maybe_unused]] const void* place,
                                [[maybe_unused]] int bytes, [[maybe_unused]] int ctas) {
#if DMA_DETAIL_LOG
  for (int rank = 0; rank < ctas; ++rank) {
    log_step({Step::copy_to_shared, shared_offset(barrier), shared_offset(place), bytes, rank});
  }
#endif
#if DMA_JITTER
  jitter();
#endif
}
DMA_DEVICE void end_step() {
#if DMA_JITTER
  jitter();
#endif
}

}  // namespace dma::machine

#endif
