#pragma once

#include <dma/config.hpp>

namespace dma {

/// Both halves of each tile in one thread, on a layout without DMA warps: `fill(tile)` runs ahead of `use(tile)` by as
/// many tiles as `Stages` slots allow. Tiles are `first`, `first + step`, ... below `last`.
template <int Stages, class Fill, class Use>
DMA_HOST_DEVICE void fill_ahead(int first, int last, int step, const Fill& fill, const Use& use) {
  constexpr int ahead = Stages > 1 ? Stages - 1 : 1;
  int filled = first;
  const auto fill_next = [&] {
    fill(filled);
    filled += step;
  };
  for (int i = 0; i < ahead && filled < last; ++i) {
    fill_next();
  }
  for (int tile = first; tile < last; tile += step) {
    if (Stages > 1 && filled < last) {
      fill_next();
    }
    use(tile);
    if (Stages == 1 && filled < last) {
      fill_next();
    }
  }
}

}  // namespace dma
