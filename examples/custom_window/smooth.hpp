#pragma once

#include "window.hpp"

/// y[i] = x[i - 1] + 2 x[i] + x[i + 1], with zeros outside x.
struct Smooth {
  using Tile = Window<130>;  // 128 results, and one element more on both sides
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Layout>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Smooth>& cta, const float* x, float* y, int n) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const auto tile_at = [&](int i) { return Tile{.length = n, .first = i - 1}; };
    pipe.for_each_tile(
        {.last = n, .step = 128}, [&](const auto& dma, int i) { dma.load(x, tile_at(i)); },
        [&](const auto& compute, int i) {
          const auto tile = compute.wait(tile_at(i));
          for (int k = compute.rank(); k < 128 && i + k < n; k += compute.size()) {
            y[i + k] = tile[k] + 2 * tile[k + 1] + tile[k + 2];
          }
        });
  }
};
