#pragma once

#include <dma/dma.hpp>

/// Adds each tile to the one before it, whose slot stays held, and waits for `Extra` tiles that no DMA warp loads.
template <int Extra>
struct Neighbours {
  using Tile = dma::Sequential<float, 64>;
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Layout>>;
  struct Shared { Pipe::Storage storage; };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Neighbours>& cta, const float* x, float* y, int tiles) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (pipe.is_dma()) {
      auto dma = pipe.as_dma();
      for (int t = 0; t < tiles; ++t) dma.load(x + t * Tile::count);
    } else if (tiles > 0) {
      auto compute = pipe.as_compute();
      auto previous = compute.wait();
      for (int t = 1; t < tiles + Extra; ++t) {
        auto tile = compute.wait();
        for (int i = compute.rank(); i < tile.size(); i += compute.size()) y[t * Tile::count + i] = previous[i] + tile[i];
        previous = std::move(tile);
      }
    }
  }
};
