// Copies without a pipeline by a part of the CTA, unrolled.

#include <dma/cudadma/two_phase_copy.hpp>
#include <dma/dma.hpp>

__global__ __launch_bounds__(96) void copies_of_two_warps(const float* x, float* y) {
  using Tile = dma::Sequential<float, 1024>;
  __shared__ __align__(16) float tile[Tile::count];
  const dma::cudadma::CopyWarps<2> warps(dma::this_cta(), 1);
  dma::cudadma::TwoPhaseCopy<Tile, 2> copy(warps);
  const int thread = static_cast<int>(threadIdx.x);
  if (thread >= 32 && thread < 96) {
#pragma unroll
    for (int t = 0; t < 4; ++t) {
      copy.start(x + t * Tile::count);
      dma::machine::barrier_sync(1, 96, {});
      copy.finish(tile);
      dma::machine::barrier_arrive(2, 96, {});
    }
  } else {
#pragma unroll
    for (int t = 0; t < 4; ++t) {
      dma::machine::barrier_arrive(1, 96, {});
      dma::machine::barrier_sync(2, 96, {});
      y[t * 32 + threadIdx.x] = tile[threadIdx.x];
    }
  }
}
