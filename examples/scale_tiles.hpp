#pragma once

#include <dma/dma.hpp>

/// Doubles each tile of an array: the kernel that tries user-defined policies. It depends on none of them.
///
/// Tile t begins `t * stride` elements after `x`; its elements go to `y`, one tile after another.
template <class Pipeline, int Ctas = 1>
struct ScaleTiles {
  using Pipe = Pipeline;
  using Tile = typename Pipe::Pattern;
  using Element = typename Tile::Element;
  using Layout = typename Pipe::Layout;
  static constexpr dma::KernelTraits traits{.min_ctas = Ctas};

  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ScaleTiles>& cta, const Element* x, Element* y, int tiles,
                                  long long stride, Tile tile) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    pipe.for_each_tile(
        cta.tiles(tiles), [&](const auto& dma, int t) { dma.load(x + t * stride, tile); },
        [&](const auto& compute, int t) {
          const auto slot = compute.wait(tile);
          for (int i = compute.rank(); i < slot.size(); i += compute.size()) {
            y[static_cast<long long>(t) * tile.size() + i] = 2 * slot[i];
          }
        });
  }
};
