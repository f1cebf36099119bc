#pragma once

#include <dma/dma.hpp>

// clang-format off

/// What is wrong with the last tile.
enum class Mistake { none, all_full, full_wait, to_count };

/// y = 2 x for n elements, of which the last tile may have fewer: right, or with a mistake.
template <Mistake mistake>
struct Twice {
  using Tile = dma::Sequential<float, 256>;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared { Pipe::Storage storage; };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Twice>& cta, const float* x, float* y, int n) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    const auto tile_at = [&](int first) { return Tile::up_to(mistake == Mistake::all_full ? 256 : n - first); };
    pipe.for_each_tile(
        {.last = n, .step = 256},
        [&](const auto& dma, int first) { dma.load(x + first, tile_at(first)); },
        [&](const auto& compute, int first) {
          const auto tile = compute.wait(mistake == Mistake::full_wait ? Tile{} : tile_at(first));
          const int end = mistake == Mistake::to_count ? Tile::count : tile.size();
          for (int i = compute.rank(); i < end; i += compute.size()) {
            y[first + i] = 2 * tile[i];
          }
        });
  }
};
