// Shared memory that is given back, or announced, before its last use.
#include "ptx.cuh"

namespace {

using namespace bugs;

/// Two slots of operands, which warp 4 loads for the warpgroup before it.
struct Ring {
  alignas(128) Operands slots[2];
  Barrier full[2];
  Barrier empty[2];
};
__device__ void open(Ring& ring) {
  if (threadIdx.x == 0) {
    for (int slot = 0; slot < 2; ++slot) {
      init(ring.full[slot], 1);
      init(ring.empty[slot], 128);
    }
    fence_init();
  }
  __syncthreads();
}
__device__ void load_all(Ring& ring, const Operands* from, int tiles) {
  for (int t = 0; t < tiles; ++t) {
    const int slot = t % 2;
    wait(ring.empty[slot], (t / 2 + 1) & 1);
    arrive_expecting(ring.full[slot], sizeof(Operands));
    load_bulk(&ring.slots[slot], from + t, sizeof(Operands), ring.full[slot]);
  }
}

/// triton #1278: the wait leaves the newest product pending, and its slot is released.
template <bool is_broken>
__device__ void triton_1278(const std::uint16_t* x, float* y, int tiles) {
  __shared__ Ring ring;
  open(ring);
  if (threadIdx.x >= 128) {
    if (threadIdx.x == 128) load_all(ring, reinterpret_cast<const Operands*>(x), tiles);
    return;
  }
  float sums[4] = {};
  for (int t = 0; t < tiles; ++t) {
    wait(ring.full[t % 2], t / 2 & 1);
    start_product(sums, ring.slots[t % 2]);
    wait_products<is_broken ? 1 : 0>(sums);
    arrive(ring.empty[t % 2]);
  }
  wait_products<0>(sums);
  store(y + 4 * threadIdx.x, sums);
}

/// TileLang #2613: two warpgroups multiply one tile, and the first to end overwrites it.
template <bool is_broken>
__device__ void tilelang_2613(const std::uint16_t* x, float* y, int tiles) {
  __shared__ alignas(128) Operands tile;
  float sums[4] = {};
  for (int t = 0; t < tiles; ++t) {
    if (threadIdx.x < 128) fill(tile, x + t * 64 * 16, threadIdx.x);
    fence_async();
    __syncthreads();
    start_product(sums, tile);
    wait_products<0>(sums);
    if (!is_broken) __syncthreads();
  }
  store(y + 4 * threadIdx.x, sums);
}

/// cudnn-frontend #426: all lanes store, and one arrives for them.
template <bool is_broken>
__device__ void cudnn_frontend_426(const float* x, float* y) {
  __shared__ float weights[32];
  __shared__ Barrier loaded;
  if (threadIdx.x == 0) init(loaded, 1);
  __syncthreads();
  if (threadIdx.x < 32) {
    weights[threadIdx.x] = x[threadIdx.x];
    fence_async();
    if (!is_broken) __syncwarp();
    if (threadIdx.x == 0) arrive(loaded);
    return;
  }
  wait(loaded, 0);
  y[threadIdx.x - 32] = weights[63 - threadIdx.x];
}

/// cutlass #2502: a stage is released before it is read.
template <bool is_broken>
__device__ void cutlass_2502(const float* x, float* y, int tiles) {
  __shared__ alignas(128) float slot[32];
  __shared__ Barrier full;
  __shared__ Barrier empty;
  if (threadIdx.x == 0) {
    init(full, 1);
    init(empty, 32);
    fence_init();
  }
  __syncthreads();
  if (threadIdx.x >= 32) {
    for (int t = 0; threadIdx.x == 32 && t < tiles; ++t) {
      wait(empty, (t + 1) & 1);
      arrive_expecting(full, sizeof slot);
      load_bulk(slot, x + 32 * t, sizeof slot, full);
    }
    return;
  }
  for (int t = 0; t < tiles; ++t) {
    wait(full, t & 1);
    if (is_broken) arrive(empty);
    y[32 * t + threadIdx.x] = slot[31 - threadIdx.x];
    if (!is_broken) {
      fence_async();
      arrive(empty);
    }
  }
}

/// TileLang #2166: of two tiles one is stored by threads, and read before the wait for both.
template <bool is_broken>
__device__ void tilelang_2166(const float* x, float* y) {
  __shared__ alignas(128) float copied[32];
  __shared__ float stored[32];
  __shared__ Barrier full;
  if (threadIdx.x == 0) {
    init(full, 33);
    fence_init();
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  if (threadIdx.x >= 32) {
    if (lane == 0) {
      arrive_expecting(full, sizeof copied);
      load_bulk(copied, x, sizeof copied, full);
    }
    stored[lane] = x[32 + lane];
    arrive(full);
    return;
  }
  if (!is_broken) wait(full, 0);
  const float sum = stored[31 - lane];
  if (is_broken) wait(full, 0);
  y[lane] = sum + copied[lane];
}

}  // namespace

DMA_BUGS_BOTH_FORMS(triton_1278, (const std::uint16_t* x, float* y, int tiles), (x, y, tiles))
DMA_BUGS_BOTH_FORMS(tilelang_2613, (const std::uint16_t* x, float* y, int tiles), (x, y, tiles))
DMA_BUGS_BOTH_FORMS(cudnn_frontend_426, (const float* x, float* y), (x, y))
DMA_BUGS_BOTH_FORMS(cutlass_2502, (const float* x, float* y, int tiles), (x, y, tiles))
DMA_BUGS_BOTH_FORMS(tilelang_2166, (const float* x, float* y), (x, y))
