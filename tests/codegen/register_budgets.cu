// Compute warps that keep 200 values in registers beside DMA warps that need few, as a user would write it.

#include <dma/dma.hpp>
#include <dma/unrolled.hpp>

using Tile = dma::Sequential<float, 1024>;
using Warps = dma::WarpLayout<dma::Compute<8, dma::Registers<240>>, dma::Dma<4, dma::Registers<24>>>;
using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Warps, 4>, dma::CudaBarrier, dma::BulkCopy<>>;

template <int Sums>
__device__ __forceinline__ void sum_up(const float* in, float* out, int tiles) {
  __shared__ Pipe::Storage storage;
  Pipe pipe(dma::this_cta(), storage);
  dma::take_roles<Warps>(
      [&] {
        const auto compute = pipe.as_compute();
        float sum[Sums] = {};
        for (int t = 0; t < tiles; ++t) {
          const auto tile = compute.wait();
          const float value = tile[compute.rank()];
          dma::unrolled<Sums>([&](auto i) { sum[i] = sum[i] * value + sum[(i + 1) % Sums]; });
        }
        dma::unrolled<Sums>([&](auto i) { out[i * compute.size() + compute.rank()] = sum[i]; });
      },
      [&] {
        const auto dma = pipe.as_dma();
        for (int t = 0; t < tiles; ++t) {
          dma.load(in + t * Tile::count);
        }
      });
}

__global__ __launch_bounds__(Warps::threads, 1) void many_sums(const float* in, float* out, int tiles) {
  sum_up<200>(in, out, tiles);
}
/// A kernel that needs few registers is launched with the same number of them: otherwise the other roles could not
/// acquire theirs.
__global__ __launch_bounds__(Warps::threads, 1) void one_sum(const float* in, float* out, int tiles) {
  sum_up<1>(in, out, tiles);
}
