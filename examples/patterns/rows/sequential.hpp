#pragma once

#include <dma/dma.hpp>

/// y = 2 x for n elements; the last tile may be a partial one.
struct Twice {
  using Tile = dma::Sequential<float, 256>;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Twice>& cta, const float* x, float* y, int n) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const auto tile_at = [&](int first) { return Tile::up_to(n - first); };
    pipe.for_each_tile(
        {.last = n, .step = 256},  //
        [&](const auto& dma, int first) { dma.load(x + first, tile_at(first)); },
        [&](const auto& compute, int first) {
          const auto tile = compute.wait(tile_at(first));
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            y[first + i] = 2 * tile[i];
          }
        });
  }
};

static_assert(dma::explain<Twice::Pipe>().access_bytes == 16);
static_assert(dma::explain<Twice::Pipe>().steps == 2);
static_assert(dma::explain<Twice::Pipe>().is_fast());
