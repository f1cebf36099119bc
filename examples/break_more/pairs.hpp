#pragma once

#include <dma/dma.hpp>

// clang-format off

/// What is wrong with a loop over pairs of tiles.
enum class Mistake { none, extra_tile, odd_tile, early_release };

/// y = the sum of tiles 2 t and 2 t + 1 of x: right, or with a mistake.
template <Mistake mistake>
struct Pairs {
  using Tile = dma::Sequential<float, 64>;
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 4>>;
  struct Shared { typename Pipe::Storage storage; };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Pairs>& cta, const float* x, float* y, int tiles) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (pipe.is_dma()) {
      auto dma = pipe.as_dma();
      const int last = mistake == Mistake::odd_tile ? tiles : tiles / 2 * 2;
      for (int t = 0; t < last; ++t) dma.load(x + t * Tile::count);
    } else {
      auto compute = pipe.as_compute();
      const int last = mistake == Mistake::extra_tile ? (tiles + 1) / 2 : tiles / 2;
      for (int t = 0; t < last; ++t) {
        auto first = compute.wait();
        auto second = compute.wait();
        if (mistake == Mistake::early_release) first.release();
        for (int i = compute.rank(); i < second.size(); i += compute.size()) y[t * Tile::count + i] = first[i] + second[i];
      }
    }
  }
};
