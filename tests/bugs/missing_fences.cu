// Generic accesses to shared memory, and copies and products by the asynchronous proxy, without a fence between them.
#include "ptx.cuh"

namespace {

using namespace bugs;

constexpr int threads = 64;

/// FlashKDA #24: the state is widened to float in shared memory, and stored by a bulk copy behind a barrier alone.
template <bool is_broken>
__device__ void flash_kda_24(const std::uint16_t* x, float* y) {
  __shared__ alignas(128) float state[threads];
  state[threadIdx.x] = x[threadIdx.x];
  if (!is_broken) fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    store_bulk(y, state, sizeof state);
    wait_bulk_stores();
  }
}

/// FlashKDA #25: zeros are covered by the fence of a loop that an empty sequence does not enter.
template <bool is_broken>
__device__ void flash_kda_25(const float* x, float* y, int tiles) {
  __shared__ alignas(128) float state[threads];
  state[threadIdx.x] = 0;
  if (!is_broken) fence_async();
  __syncthreads();
  for (int t = 0; t < tiles; ++t) {
    state[threadIdx.x] += x[t * threads + threadIdx.x];
    fence_async();
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    store_bulk(y, state, sizeof state);
    wait_bulk_stores();
  }
}

/// DeepEP #621: a slot that threads have read is loaded again.
template <bool is_broken>
__device__ void deep_ep_621(const float* x, float* y, int tiles) {
  __shared__ alignas(128) float slot[threads];
  __shared__ Barrier full;
  if (threadIdx.x == 0) {
    init(full, 1);
    fence_init();
  }
  __syncthreads();
  for (int t = 0; t < tiles; ++t) {
    if (threadIdx.x == 0) {
      arrive_expecting(full, sizeof slot);
      load_bulk(slot, x + t * threads, sizeof slot, full);
    }
    wait(full, t & 1);
    y[t * threads + threadIdx.x] = slot[threads - 1 - threadIdx.x];
    if (!is_broken) fence_async();
    __syncthreads();
  }
}

/// cuLA #114: each warp computes a row of its own and stores it by a bulk copy.
template <bool is_broken>
__device__ void cula_114(const float* x, float* y) {
  __shared__ alignas(128) float rows[2][32];
  float* const row = rows[threadIdx.x / 32];
  row[threadIdx.x % 32] = 2 * x[threadIdx.x];
  if (!is_broken) fence_async();
  __syncwarp();
  if (threadIdx.x % 32 == 0) {
    store_bulk(y + threadIdx.x, row, sizeof rows[0]);
    wait_bulk_stores();
  }
}

/// TileLang #2634: threads store the operands of a product. There it is a sparse one.
template <bool is_broken>
__device__ void tilelang_2634(const std::uint16_t* x, float* y) {
  __shared__ alignas(128) Operands operands;
  fill(operands, x, threadIdx.x);
  if (!is_broken) fence_async();
  __syncthreads();
  float sums[4] = {};
  start_product(sums, operands);
  wait_products<0>(sums);
  store(y + 4 * threadIdx.x, sums);
}

/// TLX #737: one warpgroup stores the probabilities that a product of another one reads, and arrives at an mbarrier.
template <bool is_broken>
__device__ void tlx_737(const std::uint16_t* x, float* y) {
  __shared__ alignas(128) Operands probabilities;
  __shared__ Barrier full;
  if (threadIdx.x == 0) init(full, 128);
  __syncthreads();
  if (threadIdx.x < 128) {
    fill(probabilities, x, threadIdx.x);
    if (!is_broken) fence_async();
    arrive(full);
    return;
  }
  wait(full, 0);
  float sums[4] = {};
  start_product(sums, probabilities);
  wait_products<0>(sums);
  store(y + 4 * (threadIdx.x - 128), sums);
}

}  // namespace

DMA_BUGS_BOTH_FORMS(flash_kda_24, (const std::uint16_t* x, float* y), (x, y))
DMA_BUGS_BOTH_FORMS(flash_kda_25, (const float* x, float* y, int tiles), (x, y, tiles))
DMA_BUGS_BOTH_FORMS(deep_ep_621, (const float* x, float* y, int tiles), (x, y, tiles))
DMA_BUGS_BOTH_FORMS(cula_114, (const float* x, float* y), (x, y))
DMA_BUGS_BOTH_FORMS(tilelang_2634, (const std::uint16_t* x, float* y), (x, y))
DMA_BUGS_BOTH_FORMS(tlx_737, (const std::uint16_t* x, float* y), (x, y))
