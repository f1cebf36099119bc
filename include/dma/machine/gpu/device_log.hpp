#pragma once

#include <dma/config.hpp>
#include <dma/machine/gpu/logged_step.hpp>
#include <dma/machine/gpu/ptx/warp.hpp>
#include <dma/machine/shared_alignment.hpp>

/// Records what each thread of a GPU does, for kernels compiled with DMA_DETAIL_LOG: to be compared with a host's
/// recording.
#if DMA_DETAIL_LOG && defined(__CUDACC__)

namespace dma::inline v0_1::machine {

/// Lists in global memory, one for each thread of the grid.
struct DeviceLog {
  LoggedStep* steps;  ///< (thread, step); null: nothing is recorded
  int* counts;        ///< of each thread's steps, those without room included; zero before
  int capacity;       ///< steps of a thread
};

/// A variable of each translation unit; set it by cudaMemcpyToSymbol.
[[maybe_unused]] static __device__ DeviceLog device_log = {};

#if defined(__CUDA_ARCH__)

DMA_DEVICE int shared_offset(const void* address) {
  extern __shared__ __align__(shared_alignment) unsigned char dma_dynamic_shared_memory[];
  return static_cast<int>(ptx::shared_address(address) - ptx::shared_address(dma_dynamic_shared_memory));
}

DMA_DEVICE void log_entry(const LoggedStep& step) {
  if (device_log.steps != nullptr) {
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const long long thread = static_cast<long long>(block) * blockDim.x + threadIdx.x;
    const int index = device_log.counts[thread]++;
    if (index < device_log.capacity) {
      device_log.steps[thread * device_log.capacity + index] = step;
    }
  }
}

DMA_DEVICE void log_step(Step step, int count) { log_entry({step, LoggedStep::none, LoggedStep::none, count}); }
/// @param rank  of the CTA in the cluster that has the barrier, none for the thread's own; so below
DMA_DEVICE void log_phase_step(Step step, const void* barrier, int count, int rank) {
  log_entry({step, shared_offset(barrier), LoggedStep::none, count, rank});
}
DMA_DEVICE void log_named_step(Step step, int id, int threads) { log_entry({step, id, LoggedStep::none, threads}); }
DMA_DEVICE void log_copy(Step step, const void* barrier, const void* place, int bytes, int rank) {
  log_entry({step, barrier == nullptr ? LoggedStep::none : shared_offset(barrier), shared_offset(place), bytes, rank});
}
/// An entry for each of the first `ctas` CTAs of the cluster.
DMA_DEVICE void log_multicast(const void* barrier, const void* place, int bytes, int ctas) {
  for (int rank = 0; rank < ctas; ++rank) {
    log_entry({Step::copy_to_shared, shared_offset(barrier), shared_offset(place), bytes, rank});
  }
}

#endif

}  // namespace dma::v0_1::machine

#elif defined(__CUDA_ARCH__)

namespace dma::inline v0_1::machine {

DMA_DEVICE void log_step(Step, int) {}
DMA_DEVICE void log_phase_step(Step, const void*, int, int) {}
DMA_DEVICE void log_named_step(Step, int, int) {}
DMA_DEVICE void log_copy(Step, const void*, const void*, int, int) {}
DMA_DEVICE void log_multicast(const void*, const void*, int, int) {}

}  // namespace dma::v0_1::machine

#endif
