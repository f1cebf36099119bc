#pragma once

/// Descriptors of tensor maps, ahead of their first use.

#include <dma/dma.hpp>

/// Has the descriptors of a map fetched, for which the first copy by it waits otherwise.
///
/// Source  PTX ISA, prefetch.tensormap
template <class Map>
DMA_HOST_DEVICE void prefetch_map([[maybe_unused]] const Map& map) {
#if defined(__CUDA_ARCH__)
  for (const auto& descriptor : map.descriptors) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&descriptor) : "memory");
  }
#endif
}
