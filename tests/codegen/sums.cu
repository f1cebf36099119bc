// Tiles added to global memory: which instructions add.

#include <dma/dma.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;

template <class T, class Engine>
__device__ __forceinline__ void add_tiles(T* out, int tiles) {
  using Tile = dma::Sequential<T, 1024>;
  using Pipe = dma::DmaPipeline<dma::StoreAdd<Tile>, dma::MultiBuffer<Warps, 2>, dma::CudaBarrier, Engine>;
  __shared__ typename Pipe::Storage storage;
  Pipe pipe(dma::this_cta(), storage);
  pipe.for_each_tile(
      {.last = tiles}, [&](const auto& dma, int t) { dma.store(out + t * Tile::count); },
      [&](const auto& compute, int t) {
        const auto tile = compute.wait();
        for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
          tile[i] = static_cast<T>(t);
        }
      });
}

__global__ __launch_bounds__(Warps::threads) void add_floats_in_bulk(float* out, int tiles) {
  add_tiles<float, dma::BulkCopy<>>(out, tiles);
}
__global__ __launch_bounds__(Warps::threads) void add_doubles_in_bulk(double* out, int tiles) {
  add_tiles<double, dma::BulkCopy<>>(out, tiles);
}
__global__ __launch_bounds__(Warps::threads) void add_floats_by_threads(float* out, int tiles) {
  add_tiles<float, dma::RegisterCopy<>>(out, tiles);
}
__global__ __launch_bounds__(Warps::threads) void add_integers_by_threads(int* out, int tiles) {
  add_tiles<int, dma::RegisterCopy<>>(out, tiles);
}
__global__ __launch_bounds__(Warps::threads) void add_bfloats_in_bulk(__nv_bfloat16* out, int tiles) {
  add_tiles<__nv_bfloat16, dma::BulkCopy<>>(out, tiles);
}
__global__ __launch_bounds__(Warps::threads) void add_halves_by_threads(__half* out, int tiles) {
  add_tiles<__half, dma::RegisterCopy<>>(out, tiles);
}
