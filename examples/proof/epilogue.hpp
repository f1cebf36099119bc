#pragma once

#include <dma/dma.hpp>

/// sums[b] = the sum of the tiles of CTA b, which all of its warps add after the loop: right, or without the sync.
template <bool Synchronizes>
struct SumOfCta {
  using Tile = dma::Sequential<float, 256>;
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    typename Pipe::Storage storage;
    float of_warps[Layout::threads / dma::warp_size];
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SumOfCta>& cta, const float* x, float* sums, int tiles) const {
    auto& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.storage);
    float sum = 0;
    pipe.for_each_tile(
        cta.tiles(tiles), [&](const auto& dma, int t) { dma.load(x + t * Tile::count); },
        [&](const auto& compute, int) {
          auto tile = compute.wait();
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) sum += tile[i];
        });
    for (int distance = 16; distance > 0; distance /= 2) sum += cta.shuffle(sum, cta.lane() ^ distance);
    if (cta.lane() == 0) shared.of_warps[cta.warp()] = sum;  // of the DMA warp 0
    if (Synchronizes) cta.sync();
    if (cta.thread() == 0) {
      for (int warp = 1; warp < Layout::threads / dma::warp_size; ++warp) sum += shared.of_warps[warp];
      sums[cta.block().x] = sum;
    }
  }
};
