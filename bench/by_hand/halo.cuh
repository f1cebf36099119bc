#pragma once

/// The star sum without the library.

#include "../star.cuh"
#include "ptx.cuh"

namespace by_hand {

using bench::Star;

/// No shared memory: caches serve the neighbours.
__global__ __launch_bounds__(Star::compute_threads) void star_plain(const Star job) {
  const int tile = static_cast<int>(blockIdx.x);
  const int row = job.first_row(tile);
  const int col = job.first_col(tile);
  bench::star_sums(job, row, col, static_cast<int>(threadIdx.x), [&](int r, int c) {
    const bool is_inside = row + r >= 0 && row + r < job.n && col + c >= 0 && col + c < job.n;
    return is_inside ? __ldg(reinterpret_cast<const float4*>(job.x + static_cast<long long>(row + r) * job.n + col + c))
                     : float4{0, 0, 0, 0};
  });
}

/// 16 bytes, or zeros.
__device__ __forceinline__ void copy_async_or_zero(void* to, const void* from, bool is_inside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
               "l"(__cvta_generic_to_global(from)), "r"(is_inside ? 16 : 0)
               : "memory");
}

/// DMA warps bring each tile with its halo by cp.async, `Stages` boxes in flight. The dynamic shared memory is
/// `Stages` boxes.
template <int DmaWarps, int Stages, int MinCtas>
__global__ __launch_bounds__(Star::compute_threads + DmaWarps * 32, MinCtas) void star_cp_async(const Star job) {
  extern __shared__ __align__(128) unsigned char slots[];
  __shared__ uint64_t full[Stages];
  __shared__ uint64_t empty[Stages];
  constexpr int dma_threads = DmaWarps * 32;
  constexpr int words_a_row = Star::box_cols / 4;
  constexpr int words = words_a_row * Star::box_rows;
  const int warp = uniform_warp();
  if (threadIdx.x == 0) {
    for (int s = 0; s < Stages; ++s) {
      init(&full[s], dma_threads);
      init(&empty[s], Star::compute_threads / 32);
    }
    fence_init();
  }
  __syncthreads();

  Ring<Stages> ring;
  const int tiles = job.tiles();
  for (int t = static_cast<int>(blockIdx.x); t < tiles; t += static_cast<int>(gridDim.x), ring.advance()) {
    float4* const box = reinterpret_cast<float4*>(slots) + ring.stage * words;
    const int first_row = job.first_row(t);
    const int first_col = job.first_col(t);
    if (warp >= Star::compute_threads / 32) {
      if (ring.wrapped) {
        wait(&empty[ring.stage], ring.parity ^ 1);
      }
#pragma unroll 4
      for (int i = static_cast<int>(threadIdx.x) - Star::compute_threads; i < words; i += dma_threads) {
        const int row = first_row - Star::radius + i / words_a_row;
        const int col = first_col - Star::radius + i % words_a_row * 4;
        const bool is_inside = row >= 0 && row < job.n && col >= 0 && col < job.n;
        copy_async_or_zero(box + i, is_inside ? job.x + static_cast<long long>(row) * job.n + col : job.x, is_inside);
      }
      arrive_when_copied(&full[ring.stage]);
    } else {
      wait(&full[ring.stage], ring.parity);
      bench::star_sums(job, first_row, first_col, static_cast<int>(threadIdx.x),
                       [&](int r, int c) { return box[(r + Star::radius) * words_a_row + (c + Star::radius) / 4]; });
      arrive_for_warp(&empty[ring.stage]);
    }
  }
}

}  // namespace by_hand
