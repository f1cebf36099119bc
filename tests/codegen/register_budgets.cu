// Compute warps that keep 200 values in registers beside DMA warps that need few, as a user would write it.

#include <dma/dma.hpp>
#include <dma/unrolled.hpp>

using Tile = dma::Sequential<float, 1024>;
using Warps = dma::WarpLayout<dma::Compute<8, dma::Registers{240}>, dma::Dma<4, dma::Registers{24}>>;
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

using WarpsOfTwoLoads = dma::WarpLayout<dma::Compute<8, dma::Registers{232}>, dma::Dma<1, dma::Registers{40}>,
                                        dma::Dma<1, dma::Registers{40}>>;
using LoadX = dma::DmaPipeline<Tile, dma::MultiBuffer<WarpsOfTwoLoads, 4>, dma::CudaBarrier, dma::BulkCopy<>>;
using LoadY = dma::DmaPipeline<Tile, dma::MultiBuffer<WarpsOfTwoLoads, 4, dma::DmaGroups{.first = 1}>, dma::CudaBarrier,
                               dma::BulkCopy<>>;

/// Two DMA groups of one warp share a warpgroup with two idle warps: they give registers back together.
__global__ __launch_bounds__(WarpsOfTwoLoads::threads, 1) void two_groups(const float* x, const float* y, float* out,
                                                                          int tiles) {
  constexpr int sums = 200;
  __shared__ LoadX::Storage x_storage;
  __shared__ LoadY::Storage y_storage;
  LoadX load_x(dma::this_cta(), x_storage);
  LoadY load_y(dma::this_cta(), y_storage);
  dma::take_roles<WarpsOfTwoLoads>(
      [&] {
        const auto xs = load_x.as_compute();
        const auto ys = load_y.as_compute();
        float sum[sums] = {};
        for (int t = 0; t < tiles; ++t) {
          const auto x_tile = xs.wait();
          const auto y_tile = ys.wait();
          const float factor = x_tile[xs.rank()];
          const float addend = y_tile[xs.rank()];
          dma::unrolled<sums>([&](auto i) { sum[i] = sum[i] * factor + sum[(i + 1) % sums] + addend; });
        }
        dma::unrolled<sums>([&](auto i) { out[i * xs.size() + xs.rank()] = sum[i]; });
      },
      [&] {
        const auto dma = load_x.as_dma();
        for (int t = 0; t < tiles; ++t) {
          dma.load(x + t * Tile::count);
        }
      },
      [&] {
        const auto dma = load_y.as_dma();
        for (int t = 0; t < tiles; ++t) {
          dma.load(y + t * Tile::count);
        }
      });
}
