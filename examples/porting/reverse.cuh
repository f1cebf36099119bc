#pragma once

/// A kernel with cuda::pipeline, and the same kernel with a pipeline of this library, by all warps and by roles: each
/// tile of y is that of x, from its end to its beginning.

#include <dma/dma.hpp>

#include <cuda/pipeline>

#include <cooperative_groups.h>

namespace before {

constexpr int count = 1024;
constexpr int stages = 2;
constexpr int threads = 128;

__global__ __launch_bounds__(threads) void reverse(const float* x, float* y, int tiles) {
  using State = cuda::pipeline_shared_state<cuda::thread_scope_block, stages>;
  __shared__ alignas(16) float slots[stages][count];
  __shared__ alignas(State) unsigned char state[sizeof(State)];
  auto cta = cooperative_groups::this_thread_block();
  auto pipeline = cuda::make_pipeline(cta, reinterpret_cast<State*>(state));
  const int step = gridDim.x;
  int ahead = blockIdx.x, stage_ahead = 0, stage = 0;
  for (int t = blockIdx.x; t < tiles; t += step) {
    for (; ahead < tiles && ahead < t + stages * step; ahead += step) {
      pipeline.producer_acquire();
      cuda::memcpy_async(cta, slots[stage_ahead], x + ahead * count, cuda::aligned_size_t<16>(count * 4), pipeline);
      pipeline.producer_commit();
      stage_ahead = (stage_ahead + 1) % stages;
    }
    pipeline.consumer_wait();
    for (int i = threadIdx.x; i < count; i += blockDim.x) y[t * count + i] = slots[stage][count - 1 - i];
    pipeline.consumer_release();
    stage = (stage + 1) % stages;
  }
}

}  // namespace before

namespace after {

using Tile = dma::Sequential<float, 1024>;
using Warps = dma::WarpLayout<dma::Compute<4>>;  // all warps copy and compute, as above
using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Warps, 2>>;

__global__ __launch_bounds__(Warps::threads) void reverse(const float* x, float* y, int tiles) {
  __shared__ Pipe::Storage storage;
  const dma::Cta cta = dma::this_cta();
  Pipe pipe(cta, storage);
  pipe.for_each_tile(cta.tiles(tiles),
      [&](const auto& dma, int t) { dma.load(x + t * Tile::count); },
      [&](const auto& compute, int t) {
        auto tile = compute.wait();
        for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
          y[t * Tile::count + i] = tile[Tile::count - 1 - i];
        }
      });
}

using Roles = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;  // a fifth warp copies
using RolesPipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Roles, 2>>;

__global__ __launch_bounds__(Roles::threads) void reverse_by_roles(const float* x, float* y, int tiles) {
  __shared__ RolesPipe::Storage storage;
  const dma::Cta cta = dma::this_cta();
  RolesPipe pipe(cta, storage);
  const int each = (tiles + cta.blocks().x - 1) / cta.blocks().x;
  const int first = cta.block().x * each;
  const dma::TileRange mine{.first = first, .last = first + each < tiles ? first + each : tiles};
  if (pipe.is_dma()) {
    auto dma = pipe.as_dma();
    for (int t : mine) dma.load(x + t * Tile::count);
  } else {
    auto compute = pipe.as_compute();
    for (int t : mine) {
      auto tile = compute.wait();
      for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
        y[t * Tile::count + i] = tile[Tile::count - 1 - i];
      }
    }
  }
}

}  // namespace after
