#pragma once

#include <dma/config.hpp>
#include <dma/sync/machine.hpp>
#include <dma/transfer_pattern.hpp>

namespace dma {

/// What a tile has outside the array that it is taken from, element by element, by ordinary stores.
template <int Threads, FillingPattern Pattern>
DMA_HOST_DEVICE void fill_outside(const Pattern& pattern, unsigned char* tile, int thread) {
  using Element = typename Pattern::Element;
  for (int i = thread; i < Pattern::count; i += Threads) {
    if (pattern.fills(i)) {
      Element& element = reinterpret_cast<Element*>(tile)[Pattern::place_of(i)];
      machine::touched(&element, int{sizeof(Element)}, host::Access::write);
      element = pattern.fill_value();
    }
  }
}

}  // namespace dma
