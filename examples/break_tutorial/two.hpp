#pragma once

#include <dma/dma.hpp>

// clang-format off

/// What is wrong with two pipelines.
enum class Mistake { none, x_first, one_storage, spare_tile, early_release };

/// z = x + y by two pipelines that one DMA warp fills: right, or with a mistake.
template <Mistake mistake>
struct Add {
  using Tile = dma::Sequential<float, 128>;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Load = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Load::Storage x;
    Load::Storage y;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Add>& cta, const float* x, const float* y, float* z, int tiles) const {
    auto& shared = cta.template shared<Shared>();
    Load load_x(cta, shared.x);
    Load load_y(cta, mistake == Mistake::one_storage ? shared.x : shared.y);
    cta.take_roles(
        [&] {
          auto xs = load_x.as_compute();
          auto ys = load_y.as_compute();
          for (int t : cta.tiles(tiles)) {
            auto x_tile = xs.wait();
            auto y_tile = ys.wait();
            if (mistake == Mistake::early_release) x_tile.release();
            for (int i = xs.rank(); i < x_tile.size(); i += xs.size()) z[t * Tile::count + i] = x_tile[i] + y_tile[i];
          }
        },
        [&] {
          auto dma_x = load_x.as_dma();
          auto dma_y = load_y.as_dma();
          for (int t : cta.tiles(tiles)) {
            dma_x.load(x + t * Tile::count);
            if (mistake != Mistake::x_first) dma_y.load(y + t * Tile::count);
          }
          if (mistake == Mistake::x_first) for (int t : cta.tiles(tiles)) dma_y.load(y + t * Tile::count);
          if (mistake == Mistake::spare_tile) dma_y.load(y);
        });
  }
};
