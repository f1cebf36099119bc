#pragma once

#include <dma/dma.hpp>

namespace scan {

/// Lanes of a warp: those of a ballot.
struct Lanes {
  unsigned bits;  ///< bit l is lane l

  [[nodiscard]] DMA_HOST_DEVICE int count() const {
#if defined(__CUDA_ARCH__)
    return __popc(bits);
#else
    return __builtin_popcount(bits);
#endif
  }
  [[nodiscard]] DMA_HOST_DEVICE bool any() const { return bits != 0; }
  /// @pre There is one.
  [[nodiscard]] DMA_HOST_DEVICE int last() const {
#if defined(__CUDA_ARCH__)
    return 31 - __clz(static_cast<int>(bits));
#else
    return 31 - __builtin_clz(bits);
#endif
  }
  [[nodiscard]] DMA_HOST_DEVICE Lanes below(int lane) const { return {bits & ((1U << lane) - 1U)}; }
};

}  // namespace scan
