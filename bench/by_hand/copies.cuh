#pragma once

/// Copies from global to global memory: by loads and stores, and through shared memory by the copy engine.

#include "ptx.cuh"

namespace by_hand {

/// `Words` words of 16 bytes a thread, all loaded before the first is stored.
template <int Threads, int Words>
__global__ __launch_bounds__(Threads) void copy_plain(const float4* __restrict__ from, float4* __restrict__ to) {
  const long long first = static_cast<long long>(blockIdx.x) * (Threads * Words) + threadIdx.x;
  float4 held[Words];
#pragma unroll
  for (int i = 0; i < Words; ++i) {
    held[i] = from[first + i * Threads];
  }
#pragma unroll
  for (int i = 0; i < Words; ++i) {
    to[first + i * Threads] = held[i];
  }
}

/// One thread a CTA: bulk loads, and bulk stores out of the same slots. The dynamic shared memory is
/// `Stages * TileBytes`.
template <int TileBytes, int Stages>
__global__ __launch_bounds__(32, 1) void copy_bulk_both(const float* from, float* to, int tiles) {
  extern __shared__ __align__(128) unsigned char slots[];
  __shared__ uint64_t full[Stages];
  constexpr int ahead = Stages / 2;
  constexpr int elements = TileBytes / 4;
  if (threadIdx.x != 0) {
    return;
  }
  for (int s = 0; s < Stages; ++s) {
    init(&full[s], 1);
  }
  fence_init();

  const int step = static_cast<int>(gridDim.x);
  const auto load = [&](int tile, int stage) {
    arrive_expecting(&full[stage], TileBytes);
    copy_bulk(slots + stage * TileBytes, from + static_cast<long long>(tile) * elements, TileBytes, &full[stage]);
  };
  int next = static_cast<int>(blockIdx.x);
  int next_stage = 0;
  for (; next_stage < ahead && next < tiles; ++next_stage, next += step) {
    load(next, next_stage);
  }
  next_stage = ahead;
  Ring<Stages> ring;
  for (int t = static_cast<int>(blockIdx.x); t < tiles; t += step) {
    wait(&full[ring.stage], ring.parity);
    store_bulk(to + static_cast<long long>(t) * elements, slots + ring.stage * TileBytes, TileBytes);
    commit_bulk_stores();
    if (next < tiles) {
      wait_for_bulk_reads<Stages - ahead>();  // the slot's last store has read it
      load(next, next_stage);
      next += step;
    }
    next_stage = next_stage + 1 == Stages ? 0 : next_stage + 1;
    ring.advance();
  }
  wait_for_bulk_stores<0>();
}

}  // namespace by_hand
