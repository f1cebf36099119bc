#pragma once

#include <dma/config.hpp>
#include <dma/machine/gpu/ptx/warp.hpp>
#include <dma/standard.hpp>

/// What a GPU's thread does that other threads can observe: a jitter build delays these operations (DMA_JITTER), a
/// logging build records them (DMA_DETAIL_LOG).
namespace dma::inline v0_1::machine {

enum class Step : unsigned char {
  sync_cta,          ///< waits for the CTA
  sync_warp,         ///< waits for the warp
  shuffle,           ///< takes a value of another lane
  barrier_sync,      ///< arrives at named barrier `barrier` of `count` threads and waits
  barrier_arrive,    ///< arrives at it
  phase_init,        ///< opens a phase barrier of `count` arrivals
  phase_invalidate,  ///< closes it
  phase_arrive,      ///< arrives, and expects `count` bytes
  phase_expect,      ///< expects `count` bytes
  phase_arrive_when_copied,
  phase_wait,  ///< for parity `count`
  fence_async_proxy,
  copy_async,  ///< a cp.async of `count` bytes
  wait_for_async_copies,
  copy_to_shared,  ///< a bulk copy of `count` bytes that completes on `barrier`
  copy_to_global,  ///< a bulk copy of `count` bytes
  commit_group,
  wait_for_reads,   ///< until at most `count` groups read shared memory
  wait_for_groups,  ///< until the groups are complete
  commit_reads,     ///< closes a group of tensor cores' reads
  await_reads,      ///< until at most `count` groups of them are in flight
  sync_cluster,     ///< waits for the cluster
  elected,          ///< `count` is 1 in the lane that the hardware chose, 0 in the others
  grid              ///< counts in global memory, starts the next grid or waits for the last one
};

/// One entry of a thread's log. Offsets are those in the CTA's dynamic shared memory.
struct LoggedStep {
  static constexpr int none = -1;

  Step step;
  int barrier = none;  ///< a named barrier's number, a phase barrier's offset
  int place = none;    ///< offset of a copy's bytes
  int count = 0;
  int rank = none;  ///< of the CTA in the cluster whose barrier and bytes they are; none: the thread's own
};

}  // namespace dma::inline v0_1::machine

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

}  // namespace dma::inline v0_1::machine

#elif defined(__CUDA_ARCH__)

namespace dma::inline v0_1::machine {

DMA_DEVICE void log_step(Step, int) {}
DMA_DEVICE void log_phase_step(Step, const void*, int, int) {}
DMA_DEVICE void log_named_step(Step, int, int) {}
DMA_DEVICE void log_copy(Step, const void*, const void*, int, int) {}
DMA_DEVICE void log_multicast(const void*, const void*, int, int) {}

}  // namespace dma::inline v0_1::machine

#endif
