#pragma once

#include <dma/sync/cuda_barrier.hpp>

#include <cuda/barrier>

namespace dma::inline v0_1 {

/// A state as a `cuda::barrier`, for code that arrives at it by other means, for example `cuda::memcpy_async`.
///
/// @pre The state is in shared memory and open: the pipeline that owns it is constructed and not closed.
[[nodiscard]] DMA_DEVICE ::cuda::barrier<::cuda::thread_scope_block>& native_handle(CudaBarrier::State& state) {
  using Native = ::cuda::barrier<::cuda::thread_scope_block>;
  static_assert(
      sizeof(Native) == sizeof(CudaBarrier::State) && alignof(Native) == alignof(CudaBarrier::State),
      "dma::native_handle: this libcu++ keeps more than an mbarrier in a cuda::barrier; use its class instead");
  return reinterpret_cast<Native&>(state);
}

}  // namespace dma::inline v0_1
