#pragma once

#include <dma/config.hpp>
#include <dma/standard.hpp>

namespace dma::machine {

/// What an adding bulk copy does to global memory, as a loop over elements.
template <class Element>
DMA_HOST_DEVICE void add_elements(unsigned char* to, const unsigned char* from, int bytes) {
  for (int i = 0; i < bytes; i += static_cast<int>(sizeof(Element))) {
    Element sum;
    Element value;
    memcpy(&sum, to + i, sizeof sum);
    memcpy(&value, from + i, sizeof value);
    sum = static_cast<Element>(sum + value);
    memcpy(to + i, &sum, sizeof sum);
  }
}

}  // namespace dma::machine
