#pragma once

#include <dma/dma.hpp>

/// z = x + y for whole tiles, by two pipelines that share one DMA group: its warp loads a tile of x, then one of y.
struct Add {
  using Tile = dma::Sequential<float, 1024>;
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
  using Load = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 4>>;
  struct Shared {
    Load::Storage x;
    Load::Storage y;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Add>& cta, const float* x, const float* y, float* z, int tiles) const {
    auto& shared = cta.shared<Shared>();
    Load load_x(cta, shared.x);
    Load load_y(cta, shared.y);
    cta.take_roles(
        [&] {
          auto xs = load_x.as_compute();
          auto ys = load_y.as_compute();
          for (int t : cta.tiles(tiles)) {
            auto x_tile = xs.wait();
            auto y_tile = ys.wait();
            for (int i = xs.rank(); i < x_tile.size(); i += xs.size()) z[t * Tile::count + i] = x_tile[i] + y_tile[i];
          }
        },
        [&] {
          auto dma_x = load_x.as_dma();
          auto dma_y = load_y.as_dma();
          for (int t : cta.tiles(tiles)) {
            dma_x.load(x + t * Tile::count);
            dma_y.load(y + t * Tile::count);
          }
        });
  }
};
