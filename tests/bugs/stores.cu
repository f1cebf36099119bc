// Shared memory on its way to global memory.
#include "ptx.cuh"

namespace {

using namespace bugs;

/// TileOps #1550: one thread waits until its store has read the tile, and the others fill it again without it.
template <bool is_broken>
__device__ void tile_ops_1550(const float* x, float* y, int waves) {
  __shared__ alignas(128) float tile[128];
  for (int wave = 0; wave < waves; ++wave) {
    if (!is_broken) sync_named(4, 128);
    tile[threadIdx.x] = 2 * x[128 * wave + threadIdx.x];
    fence_async();
    sync_named(5, 128);
    if (threadIdx.x == 0) {
      store_bulk(y + 128 * wave, tile, sizeof tile);
      wait_bulk_reads();
    }
  }
  if (threadIdx.x == 0) wait_bulk_stores();
}

/// TileOps #1633: sums go through shared memory in another order, without a barrier between its two sides.
template <bool is_broken>
__device__ void tile_ops_1633(const float* x, float* y) {
  __shared__ float tile[128];
  tile[threadIdx.x ^ (threadIdx.x >> 3 & 7)] = x[threadIdx.x];
  if (!is_broken) sync_named(3, 128);
  const int other = 127 - threadIdx.x;
  y[other] = tile[other ^ (other >> 3 & 7)];
}

/// mKernel #18: one slot of the inputs' ring is the output's too. The wait for its store is at the second iteration of
/// a task, which uses that slot where the ring's length divides that of the task before.
template <bool is_broken>
__device__ void mkernel_18(const float* x, float* y, int tasks, int iterations) {
  __shared__ alignas(128) float slots[2][32];
  __shared__ Barrier full[2], empty[2], drained;
  if (threadIdx.x == 0) {
    for (int slot = 0; slot < 2; ++slot) {
      init(full[slot], 1);
      init(empty[slot], 32);
    }
    init(drained, 1);
    fence_init();
  }
  __syncthreads();
  if (threadIdx.x >= 32) {
    for (int i = 0; threadIdx.x == 32 && i < tasks * iterations; ++i) {
      if (i % iterations == (is_broken ? 1 : 0)) wait(drained, (i / iterations + 1) & 1);
      wait(empty[i % 2], (i / 2 + 1) & 1);
      arrive_expecting(full[i % 2], sizeof slots[0]);
      load_bulk(slots[i % 2], x + 32 * i, sizeof slots[0], full[i % 2]);
    }
    return;
  }
  for (int task = 0; task < tasks; ++task) {
    float sum = 0;
    for (int i = task * iterations; i < (task + 1) * iterations; ++i) {
      wait(full[i % 2], i / 2 & 1);
      sum += slots[i % 2][threadIdx.x];
      fence_async();
      arrive(empty[i % 2]);
    }
    slots[1][threadIdx.x] = sum;
    fence_async();
    __syncwarp();
    if (threadIdx.x == 0) {
      store_bulk(y + 32 * task, slots[1], sizeof slots[1]);
      wait_bulk_stores();
      arrive(drained);
    }
  }
}

/// flash-attention #1344: where a sequence's length varies, threads copy the output that other warps write.
template <bool is_broken>
__device__ void flash_attention_1344(const float* x, float* y, int length) {
  __shared__ float output[4][32];
  output[threadIdx.x % 4][threadIdx.x / 4] = x[threadIdx.x];
  if (!is_broken) sync_named(1, 128);
  if (static_cast<int>(threadIdx.x) < length) y[threadIdx.x] = output[threadIdx.x / 32][threadIdx.x % 32];
}

}  // namespace

DMA_BUGS_BOTH_FORMS(tile_ops_1550, (const float* x, float* y, int waves), (x, y, waves))
DMA_BUGS_BOTH_FORMS(tile_ops_1633, (const float* x, float* y), (x, y))
DMA_BUGS_BOTH_FORMS(mkernel_18, (const float* x, float* y, int tasks, int iterations), (x, y, tasks, iterations))
DMA_BUGS_BOTH_FORMS(flash_attention_1344, (const float* x, float* y, int length), (x, y, length))
