#pragma once

#include <dma/dma.hpp>

/// z = a x + y for n elements, by three pipelines: one loads x, one loads y, one stores z, each with a DMA group of its
/// own. The last tile may be a partial one.
struct Axpy {
  using Tile = dma::Sequential<float, 1024>;
  using Layout = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>, dma::Dma<1>, dma::Dma<1>>;
  using LoadX = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 4, dma::DmaGroups{.first = 0}>>;
  using LoadY = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 4, dma::DmaGroups{.first = 1}>>;
  using StoreZ = dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 2}>>;
  struct Shared {
    LoadX::Storage x;
    LoadY::Storage y;
    StoreZ::Storage z;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Axpy>& cta, const float* x, const float* y, float* z, float a,
                                  int n) const {
    auto& shared = cta.shared<Shared>();
    LoadX load_x(cta, shared.x);
    LoadY load_y(cta, shared.y);
    StoreZ store_z(cta, shared.z);

    const int first = cta.block().x * 1024;
    const int step = cta.blocks().x * 1024;
    const auto tile_at = [&](int i) { return Tile::up_to(n - i); };
    cta.take_roles(
        [&] {  // the compute warps
          auto xs = load_x.as_compute();
          auto ys = load_y.as_compute();
          auto zs = store_z.as_compute();
          for (int i = first; i < n; i += step) {
            auto x_tile = xs.wait(tile_at(i));
            auto y_tile = ys.wait(tile_at(i));
            auto z_tile = zs.wait(tile_at(i));
            for (int k = xs.rank(); k < x_tile.size(); k += xs.size()) z_tile[k] = a * x_tile[k] + y_tile[k];
          }
        },
        [&] {  // DMA group 0
          auto dma = load_x.as_dma();
          for (int i = first; i < n; i += step) dma.load(x + i, tile_at(i));
        },
        [&] {  // DMA group 1
          auto dma = load_y.as_dma();
          for (int i = first; i < n; i += step) dma.load(y + i, tile_at(i));
        },
        [&] {  // DMA group 2
          auto dma = store_z.as_dma();
          for (int i = first; i < n; i += step) dma.store(z + i, tile_at(i));
        });
  }
};
