// Kernels that were asked about, and that are right: both forms are.
#include "ptx.cuh"

namespace {

using namespace bugs;

/// flash-attention #2462: threads read the statistics of a slot before they release it. The fence for their own bulk
/// store is between, and a second one at the release would add nothing.
template <bool is_first>
__device__ void flash_attention_2462(const float* x, float* y, int tiles) {
  __shared__ alignas(128) float statistics[32];
  __shared__ alignas(128) float results[32];
  __shared__ Barrier full, empty;
  if (threadIdx.x == 0) {
    init(full, 1);
    init(empty, 32);
    fence_init();
  }
  __syncthreads();
  if (threadIdx.x >= 32) {
    for (int t = 0; threadIdx.x == 32 && t < tiles; ++t) {
      wait(empty, (t + 1) & 1);
      arrive_expecting(full, sizeof statistics);
      load_bulk(statistics, x + 32 * t, sizeof statistics, full);
    }
    return;
  }
  for (int t = 0; t < tiles; ++t) {
    wait(full, t & 1);
    results[threadIdx.x] = 2 * statistics[31 - threadIdx.x];
    fence_async();
    __syncwarp();
    if (threadIdx.x == 0) {
      store_bulk(y + 32 * t, results, sizeof results);
      wait_bulk_stores();
    }
    if (!is_first) fence_async();
    arrive(empty);
    __syncwarp();
  }
}

/// flash-attention #2718: threads alone access the tile, so that a proxy fence has nothing to order.
template <bool is_first>
__device__ void flash_attention_2718(const float* x, float* y) {
  __shared__ float tile[64];
  copy_async(tile + threadIdx.x, x + threadIdx.x);
  wait_async_copies();
  if (is_first) fence_async();
  __syncthreads();
  const float value = 2 * tile[63 - threadIdx.x];
  if (is_first) fence_async();
  __syncthreads();
  tile[threadIdx.x] = value;
  if (is_first) fence_async();
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x ^ 32];
}

/// torch-mojo-backend #397: a slot is loaded again behind the wait for the product that read it. Both are of the
/// asynchronous proxy.
template <bool is_first>
__device__ void torch_mojo_397(const std::uint16_t* x, float* y, int tiles) {
  __shared__ alignas(128) Operands slot;
  __shared__ Barrier full;
  if (threadIdx.x == 0) {
    init(full, 1);
    fence_init();
  }
  __syncthreads();
  float sums[4] = {};
  for (int t = 0; t < tiles; ++t) {
    if (threadIdx.x == 0) {
      if (!is_first) fence_async();
      arrive_expecting(full, sizeof slot);
      load_bulk(&slot, x + t * 64 * 16, sizeof slot, full);
    }
    wait(full, t & 1);
    start_product(sums, slot);
    wait_products<0>(sums);
    __syncthreads();
  }
  store(y + 4 * threadIdx.x, sums);
}

}  // namespace

DMA_BUGS_BOTH_FORMS(flash_attention_2462, (const float* x, float* y, int tiles), (x, y, tiles))
DMA_BUGS_BOTH_FORMS(flash_attention_2718, (const float* x, float* y), (x, y))
DMA_BUGS_BOTH_FORMS(torch_mojo_397, (const std::uint16_t* x, float* y, int tiles), (x, y, tiles))
