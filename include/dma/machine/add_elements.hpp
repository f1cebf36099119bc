#pragma once

#include <dma/config.hpp>

namespace dma::machine {

/// What an adding bulk copy does to global memory, as a loop over elements. Sums of a GPU are atomic, and no access
/// that a proof orders.
template <class Element>
DMA_UNSEEN DMA_HOST_DEVICE void add_elements(unsigned char* to, const unsigned char* from, int bytes) {
  for (int i = 0; i < bytes; i += static_cast<int>(sizeof(Element))) {
    Element sum;
    Element value;
    __builtin_memcpy(&sum, to + i, sizeof sum);
    __builtin_memcpy(&value, from + i, sizeof value);
    sum = static_cast<Element>(sum + value);
    __builtin_memcpy(to + i, &sum, sizeof sum);
  }
}

}  // namespace dma::machine
