#pragma once

#include <dma/config.hpp>
#include <dma/transfer_pattern.hpp>

namespace dma {

/// What a tile has outside the array that it is taken from, element by element, by ordinary stores.
template <int Threads, FillingPattern Pattern>
DMA_HOST_DEVICE void fill_outside(const Pattern& pattern, unsigned char* tile, int thread) {
  using Element = typename Pattern::Element;
  constexpr int cols = Pattern::Tile::row_bytes / Pattern::Tile::element_bytes;
  for (int i = thread; i < Pattern::count; i += Threads) {
    if (pattern.fills(i / cols, i % cols)) {
      reinterpret_cast<Element*>(tile)[Pattern::index(i / cols, i % cols)] = pattern.fill;
    }
  }
}

}  // namespace dma
