// Barriers in another phase than a thread takes them for, and phases that do not end.
#include "ptx.cuh"

namespace {

using namespace bugs;

/// One slot of 32 floats, which lane 0 of warp 1 loads for warp 0.
struct Slot {
  alignas(128) float tile[32];
  Barrier full;
  Barrier empty;
};
__device__ void open(Slot& slot) {
  if (threadIdx.x == 0) {
    init(slot.full, 1);
    init(slot.empty, 32);
    fence_init();
  }
  __syncthreads();
}
__device__ void load(Slot& slot, const float* from) {
  arrive_expecting(slot.full, sizeof slot.tile);
  load_bulk(slot.tile, from, sizeof slot.tile, slot.full);
}
__device__ void release(Slot& slot) {
  fence_async();
  arrive(slot.empty);
}

/// TileOps #1903: two buffers have one full barrier. The loads are up to two tiles ahead, and its phase comes round.
template <bool is_broken>
__device__ void tile_ops_1903(const float* x, float* y, int tiles) {
  __shared__ alignas(128) float buffers[2][32];
  __shared__ Barrier full[2], empty[2];
  if (threadIdx.x == 0) {
    for (int buffer = 0; buffer < 2; ++buffer) {
      init(full[buffer], 1);
      init(empty[buffer], 32);
    }
    fence_init();
  }
  __syncthreads();
  const auto full_of = [&](int t) -> Barrier& { return full[is_broken ? 0 : t % 2]; };
  if (threadIdx.x >= 32) {
    for (int t = 0; threadIdx.x == 32 && t < tiles; ++t) {
      wait(empty[t % 2], (t / 2 + 1) & 1);
      arrive_expecting(full_of(t), sizeof buffers[0]);
      load_bulk(buffers[t % 2], x + 32 * t, sizeof buffers[0], full_of(t));
    }
    return;
  }
  for (int t = 0; t < tiles; ++t) {
    wait(full_of(t), (is_broken ? t : t / 2) & 1);
    y[32 * t + threadIdx.x] = buffers[t % 2][31 - threadIdx.x];
    fence_async();
    arrive(empty[t % 2]);
  }
}

/// TileLang #2566: the bytes are announced, and nobody arrives.
template <bool is_broken>
__device__ void tilelang_2566(const float* x, float* y) {
  __shared__ Slot slot;
  open(slot);
  if (threadIdx.x == 32) {
    expect_bytes(slot.full, sizeof slot.tile);
    if (!is_broken) arrive(slot.full);
    load_bulk(slot.tile, x, sizeof slot.tile, slot.full);
  }
  if (threadIdx.x >= 32) return;
  wait(slot.full, 0);
  y[threadIdx.x] = slot.tile[31 - threadIdx.x];
}

/// TileLang #2567: the first load waits for a release, which comes behind the wait for that load.
template <bool is_broken>
__device__ void tilelang_2567(const float* x, float* y, int tiles) {
  __shared__ Slot slot;
  open(slot);
  if (threadIdx.x >= 32) {
    for (int t = 0; threadIdx.x == 32 && t < tiles; ++t) {
      wait(slot.empty, (is_broken ? t : t + 1) & 1);
      load(slot, x + 32 * t);
    }
    return;
  }
  for (int t = 0; t < tiles; ++t) {
    wait(slot.full, t & 1);
    y[32 * t + threadIdx.x] = slot.tile[31 - threadIdx.x];
    release(slot);
  }
}

/// vLLM #26026: warps without work arrive at a named barrier without waiting, and may arrive once more in the next
/// turn.
template <bool is_broken>
__device__ void vllm_26026(const float* x, float* y, int tiles) {
  __shared__ float tile[32];
  for (int t = 0; t < tiles; ++t) {
    if (threadIdx.x < 32) {
      if (is_broken) {
        arrive_named(2, 64);
      } else {
        sync_named(2, 64);
      }
    } else {
      tile[threadIdx.x % 32] = x[32 * t + threadIdx.x % 32];
      sync_named(2, 64);
      y[32 * t + threadIdx.x % 32] = tile[63 - threadIdx.x];
      __syncwarp();
    }
  }
}

/// GiMMiK #23: the next number is published when two readers have taken the one before. One of them runs a tile ahead,
/// and the other one waits for it.
template <bool is_broken>
__device__ void gimmik_23(const float* x, float* y, int tiles) {
  constexpr int depth = is_broken ? 1 : 4;
  __shared__ int numbers[4];
  __shared__ Barrier published[4], used[4], loaded;
  if (threadIdx.x == 0) {
    for (int i = 0; i < 4; ++i) {
      init(published[i], 1);
      init(used[i], 2);
    }
    init(loaded, 1);
  }
  __syncthreads();
  const int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 != 0) return;
  for (int t = 0; t < tiles; ++t) {
    const int i = t % depth;
    const int turn = t / depth & 1;
    if (warp == 0) {
      wait(used[i], turn ^ 1);
      numbers[i] = t;
      arrive(published[i]);
    } else if (warp == 1) {
      wait(published[i], turn);
      const bool is_ahead = numbers[i] > 0;
      arrive(used[i]);
      if (t > 1) wait(used[(t - 2) % depth], (t - 2) / depth & 1);
      if (is_ahead) arrive(loaded);
    } else {
      if (t + 1 < tiles) wait(loaded, t & 1);
      wait(published[i], turn);
      y[t] = x[numbers[i]];
      arrive(used[i]);
    }
  }
}

/// GiMMiK #25: a semaphore in one direction. The producer does not wait for its reader, which misses a phase.
template <bool is_broken>
__device__ void gimmik_25(const float* x, float* y, int tiles) {
  __shared__ Barrier ready, taken;
  __shared__ float values[4];
  if (threadIdx.x == 0) {
    init(ready, 1);
    init(taken, 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int t = 0; t < tiles; ++t) {
      if (!is_broken) wait(taken, (t + 1) & 1);
      values[t] = x[t];
      arrive(ready);
    }
  } else if (threadIdx.x == 32) {
    for (int t = 0; t < tiles; ++t) {
      wait(ready, t & 1);
      y[t] = values[t];
      arrive(taken);
    }
  }
}

/// cuda-oxide #1066: the coordinates of the next tile overwrite those that warps have not read yet.
template <bool is_broken>
__device__ void cuda_oxide_1066(const float* x, float* y, int tiles) {
  __shared__ int tile;
  __shared__ Barrier ready, taken, free;
  if (threadIdx.x == 0) {
    init(ready, 1);
    init(taken, 64);
    init(free, 64);
  }
  __syncthreads();
  if (threadIdx.x >= 64) {
    for (int t = 0; threadIdx.x == 64 && t < tiles; ++t) {
      wait(taken, (t + 1) & 1);
      if (!is_broken) wait(free, (t + 1) & 1);
      tile = t;
      arrive(ready);
    }
    return;
  }
  for (int t = 0; t < tiles; ++t) {
    wait(ready, t & 1);
    arrive(taken);
    const int mine = tile;
    arrive(free);
    y[64 * mine + threadIdx.x] = x[64 * mine + threadIdx.x];
  }
}

/// flashinfer #4533: two pairs of warps have one named barrier.
template <bool is_broken>
__device__ void flashinfer_4533(const float* x, float* y) {
  __shared__ float statistics[32];
  __shared__ float sums[2][32];
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (warp == 0) {
    statistics[lane] = x[lane];
    arrive_named(4, 64);
  } else if (warp == 1) {
    sync_named(4, 64);
    y[lane] = statistics[31 - lane];
  } else {
    sums[warp - 2][lane] = x[threadIdx.x - 32];
    sync_named(is_broken ? 4 : 5, 64);
    y[threadIdx.x - 32] = sums[3 - warp][lane];
  }
}

/// triton #2868: a product is waited for, and its slot released, when the next one has been started. There is one slot.
template <bool is_broken>
__device__ void triton_2868(const std::uint16_t* x, float* y, int tiles) {
  __shared__ alignas(128) Operands slot;
  __shared__ Barrier full, empty;
  if (threadIdx.x == 0) {
    init(full, 1);
    init(empty, 128);
    fence_init();
  }
  __syncthreads();
  if (threadIdx.x >= 128) {
    for (int t = 0; threadIdx.x == 128 && t < tiles; ++t) {
      wait(empty, (t + 1) & 1);
      arrive_expecting(full, sizeof slot);
      load_bulk(&slot, x + t * 64 * 16, sizeof slot, full);
    }
    return;
  }
  float sums[4] = {};
  for (int t = 0; t < tiles; ++t) {
    wait(full, t & 1);
    start_product(sums, slot);
    wait_products<is_broken ? 1 : 0>(sums);
    if (!is_broken || t > 0) arrive(empty);
  }
  wait_products<0>(sums);
  store(y + 4 * threadIdx.x, sums);
}

}  // namespace

DMA_BUGS_BOTH_FORMS(tile_ops_1903, (const float* x, float* y, int tiles), (x, y, tiles))
DMA_BUGS_BOTH_FORMS(tilelang_2566, (const float* x, float* y), (x, y))
DMA_BUGS_BOTH_FORMS(tilelang_2567, (const float* x, float* y, int tiles), (x, y, tiles))
DMA_BUGS_BOTH_FORMS(vllm_26026, (const float* x, float* y, int tiles), (x, y, tiles))
DMA_BUGS_BOTH_FORMS(gimmik_23, (const float* x, float* y, int tiles), (x, y, tiles))
DMA_BUGS_BOTH_FORMS(gimmik_25, (const float* x, float* y, int tiles), (x, y, tiles))
DMA_BUGS_BOTH_FORMS(cuda_oxide_1066, (const float* x, float* y, int tiles), (x, y, tiles))
DMA_BUGS_BOTH_FORMS(flashinfer_4533, (const float* x, float* y), (x, y))
DMA_BUGS_BOTH_FORMS(triton_2868, (const std::uint16_t* x, float* y, int tiles), (x, y, tiles))
