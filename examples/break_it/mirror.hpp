#pragma once

#include <dma/dma.hpp>

/// What is wrong with a kernel.
enum class Mistake { none, no_sync, extra_tile, early_return, early_release };

/// Of each tile y = a (x + its mirror image), by way of the slot: right, or with a mistake.
template <Mistake mistake>
struct Mirror {
  using Tile = dma::Sequential<float, 64>;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared { Pipe::Storage storage; };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Mirror>& cta, const float* x, float* y, float a, int tiles) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (pipe.is_dma()) {
      auto dma = pipe.as_dma();
      for (int t : cta.tiles(tiles)) dma.load(x + t * Tile::count);
    } else {
      if (mistake == Mistake::early_return && cta.warp() == 1) return;
      auto compute = pipe.as_compute();
      for (int t : cta.tiles(mistake == Mistake::extra_tile ? tiles + 1 : tiles)) {
        auto tile = compute.wait();
        if (mistake == Mistake::early_release) tile.release();
        const int i = compute.rank();
        tile[i] = a * tile[i];
        if (mistake != Mistake::no_sync) compute.sync();
        y[t * Tile::count + i] = tile[i] + tile[Tile::count - 1 - i];
      }
    }
  }
};
