#pragma once

/// Small tiles, many CTAs, one compute warp each: the scheme of 2011 as its authors' benchmark runs it.

#include "../stream.cuh"
#include "ptx.cuh"

namespace by_hand {

/// Each CTA streams `Tiles` tiles of its own. The compiler knows how many, and the loads are read-only: it moves those
/// of several tiles ahead of the barriers, which is what fills the memory's latency.
template <int Stages, int TileBytes, int DmaWarps, int Tiles>
__global__ __launch_bounds__(32 + DmaWarps * 32) void small_of_2011(const float* __restrict__ x, float* sums) {
  constexpr int threads = 32 + DmaWarps * 32;
  constexpr int dma_threads = DmaWarps * 32;
  constexpr int pieces = TileBytes / 16 / dma_threads;
  __shared__ __align__(16) unsigned char tiles[Stages][TileBytes];
  const auto full = [](int stage) { return 2 * stage; };
  const auto empty = [](int stage) { return 2 * stage + 1; };
  if (threadIdx.x >= 32) {
    const int lane = static_cast<int>(threadIdx.x) - 32;
    const auto* const from =
        reinterpret_cast<const uint4*>(x) + static_cast<long long>(blockIdx.x) * (Tiles * (TileBytes / 16)) + lane;
#pragma unroll
    for (int t = 0; t < Tiles; ++t) {
      uint4 held[pieces];
#pragma unroll
      for (int i = 0; i < pieces; ++i) {
        held[i] = __ldg(from + t * (TileBytes / 16) + i * dma_threads);
      }
      named_sync(empty(t % Stages), threads);
#pragma unroll
      for (int i = 0; i < pieces; ++i) {
        store_shared(tiles[t % Stages] + (lane + i * dma_threads) * 16, held[i]);
      }
      named_arrive(full(t % Stages), threads);
    }
#pragma unroll
    for (int stage = 0; stage < Stages; ++stage) {
      named_sync(empty(stage), threads);
    }
  } else {
    const bench::Stream job{x, sums, 0, 1, 1, 1};
    float sum[4] = {};
#pragma unroll
    for (int stage = 0; stage < Stages; ++stage) {
      named_arrive(empty(stage), threads);
    }
#pragma unroll 1
    for (int t = 0; t < Tiles; t += Stages) {
#pragma unroll
      for (int stage = 0; stage < Stages; ++stage) {
        named_sync(full(stage), threads);
        float v[TileBytes / 4 / 32];
        bench::read_elements<16, 32>(reinterpret_cast<const float*>(tiles[stage]), static_cast<int>(threadIdx.x), v);
        bench::multiply_add<1>(v, job, sum);
        named_arrive(empty(stage), threads);
      }
    }
    bench::write_sum(job, static_cast<int>(threadIdx.x), 32, sum);
  }
}

}  // namespace by_hand
