// One kernel an engine and direction, each with hints: every global access of the DMA warps has to name them.

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
using Tile = dma::Sequential<float, 1024>;

template <class Engine>
using Load = dma::DmaPipeline<Tile, dma::MultiBuffer<Warps, 4>, dma::CudaBarrier, Engine>;
template <class Engine>
using Store = dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<Warps, 4>, dma::CudaBarrier, Engine>;

template <class Pipe>
__device__ __forceinline__ void load_tiles(const float* in, float* out, int tiles) {
  __shared__ typename Pipe::Storage storage;
  Pipe pipe(dma::this_cta(), storage);
  pipe.for_each_tile(
      {.last = tiles}, [&](const auto& dma, int t) { dma.load(in + t * Tile::count); },
      [&](const auto& compute, int t) {
        const auto tile = compute.wait();
        out[t * compute.size() + compute.rank()] = tile[compute.rank()];
      });
}
template <class Pipe>
__device__ __forceinline__ void store_tiles(float* out, int tiles) {
  __shared__ typename Pipe::Storage storage;
  Pipe pipe(dma::this_cta(), storage);
  pipe.for_each_tile(
      {.last = tiles}, [&](const auto& dma, int t) { dma.store(out + t * Tile::count); },
      [&](const auto& compute, int t) {
        const auto tile = compute.wait();
        for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
          tile[i] = static_cast<float>(t);
        }
      });
}

using dma::L2Priority, dma::LoadCache, dma::StoreCache;

using Streaming = dma::RegisterCopy<dma::RegisterCopyTuning{
    .cache = {.load = LoadCache::streaming, .store = StoreCache::streaming, .l2 = L2Priority::evict_first}}>;
using ReadOnly = dma::RegisterCopy<dma::RegisterCopyTuning{.cache = {.load = LoadCache::read_only}}>;
using Async = dma::AsyncCopy<dma::AsyncCopyTuning{.cache = {.load = LoadCache::all, .l2 = L2Priority::evict_last}}>;
using Bulk = dma::BulkCopy<dma::BulkCopyTuning{.cache = {.l2 = L2Priority::evict_first}}>;

__global__ __launch_bounds__(Warps::threads) void streaming_load(const float* in, float* out, int tiles) {
  load_tiles<Load<Streaming>>(in, out, tiles);
}
__global__ __launch_bounds__(Warps::threads) void streaming_store(float* out, int tiles) {
  store_tiles<Store<Streaming>>(out, tiles);
}
__global__ __launch_bounds__(Warps::threads) void read_only_load(const float* in, float* out, int tiles) {
  load_tiles<Load<ReadOnly>>(in, out, tiles);
}
__global__ __launch_bounds__(Warps::threads) void async_load(const float* in, float* out, int tiles) {
  load_tiles<Load<Async>>(in, out, tiles);
}
__global__ __launch_bounds__(Warps::threads) void bulk_load(const float* in, float* out, int tiles) {
  load_tiles<Load<Bulk>>(in, out, tiles);
}
__global__ __launch_bounds__(Warps::threads) void bulk_store(float* out, int tiles) {
  store_tiles<Store<Bulk>>(out, tiles);
}

/// Rows of half a sector, whose distance is known at run time.
__global__ __launch_bounds__(Warps::threads) void load_of_half_sectors(const float* in, float* out, int tiles,
                                                                       int pitch) {
  using Rows = dma::Strided<float, 4, 64>;
  using Pipe = dma::DmaPipeline<Rows, dma::MultiBuffer<Warps, 4>>;
  __shared__ typename Pipe::Storage storage;
  Pipe pipe(dma::this_cta(), storage);
  pipe.for_each_tile(
      {.last = tiles}, [&](const auto& dma, int t) { dma.load(in + 4 * t, Rows{pitch}); },
      [&](const auto& compute, int t) {
        const auto tile = compute.wait(Rows{pitch});
        out[t * compute.size() + compute.rank()] = tile[compute.rank()];
      });
}

__global__ void read_once(const float4* in, float4* out) {
  out[threadIdx.x] = dma::load_global<dma::CacheHints{.load = LoadCache::read_once}>(in + threadIdx.x);
}
__global__ void refetched(const float4* in, float4* out) {
  out[threadIdx.x] = dma::load_global<dma::CacheHints{.load = LoadCache::refetched}>(in + threadIdx.x);
}
__global__ void write_kept(float4* out) {
  dma::store_global<dma::CacheHints{.l2 = L2Priority::evict_last}>(out + threadIdx.x, float4{1, 2, 3, 4});
}
