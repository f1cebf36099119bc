#pragma once

#include <dma/dma.hpp>

// clang-format off

/// The kernel of scale.cuh as a kernel body, which runs on a GPU and on a host.
struct Scale {
  using Tile = dma::Sequential<float, 1024>;
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared { Pipe::Storage storage; };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Scale>& cta, const float* x, float* y, float a, int tiles) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(cta.tiles(tiles),
        [&](const auto& dma, int t) { dma.load(x + t * Tile::count); },
        [&](const auto& compute, int t) {
          auto tile = compute.wait();
          auto x4 = tile.vectors();
          auto y4 = dma::vectors(y + t * Tile::count);
          for (int i = compute.rank(); i < x4.size(); i += compute.size()) y4[i] = a * x4[i];
        });
  }
};
