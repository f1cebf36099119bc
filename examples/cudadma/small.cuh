#pragma once

/// CudaDMA's own staging benchmark in its own words: each CTA streams `Tiles` tiles through one buffer, or through two
/// that the same DMA warps fill in turn, and one compute warp adds them up.

#include <dma/cudadma/version2.hpp>

namespace cudadma_kernels {

/// @param x     16-byte aligned; CTA b reads `Tiles` tiles from tile `b * Tiles` on
/// @param sums  one for each compute thread of the grid
template <int Buffers, int TileBytes, int DmaWarps, int Tiles>
__global__ __launch_bounds__(32 + DmaWarps * 32) void add_up_tiles(const float* x, float* sums) {
  static_assert(Tiles % Buffers == 0 && (Buffers == 1 || Buffers == 2));
  constexpr int compute_threads = 32;
  constexpr int dma_threads = DmaWarps * 32;
  using Object = dma::cudadma::CudaDMASequential<true, 16, TileBytes / dma_threads, TileBytes, dma_threads>;
  __shared__ __align__(16) float4 buffers[Buffers][TileBytes / 16];
  const Object even(0, compute_threads, compute_threads);
  const Object odd(1, compute_threads, compute_threads);
  const float* const from = x + static_cast<long long>(blockIdx.x) * (Tiles * (TileBytes / 4));
  if (even.owns_this_thread()) {
#pragma unroll
    for (int t = 0; t < Tiles; ++t) {
      (t % Buffers == 0 ? even : odd).template execute_dma<true>(from + t * (TileBytes / 4), buffers[t % Buffers]);
    }
  } else {
    float sum[4] = {};
    even.start_async_dma();
    if constexpr (Buffers == 2) {
      odd.start_async_dma();
    }
#pragma unroll 1
    for (int t = 0; t < Tiles; t += Buffers) {
#pragma unroll
      for (int b = 0; b < Buffers; ++b) {
        const Object& object = b == 0 ? even : odd;
        object.wait_for_dma_finish();
#pragma unroll
        for (int i = 0; i < TileBytes / 16 / compute_threads; ++i) {
          const float4 word = buffers[b][i * compute_threads + static_cast<int>(threadIdx.x)];
          sum[0] += word.x;
          sum[1] += word.y;
          sum[2] += word.z;
          sum[3] += word.w;
        }
        if (t + b + Buffers < Tiles) {
          object.start_async_dma();
        }
      }
    }
    sums[blockIdx.x * compute_threads + static_cast<int>(threadIdx.x)] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
}

}  // namespace cudadma_kernels
