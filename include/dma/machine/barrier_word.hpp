#pragma once

#include <dma/config.hpp>

namespace dma {

/// A named barrier as one word of memory, as the checked build keeps it: the hardware's state cannot be read, and a
/// wait for it cannot be ended.
///
/// Counts warps, as the hardware does. The last arrival that a generation needs completes it, and the next may begin at
/// once.
///
/// Shared memory is not cleared before a CTA, so a word also holds the key of the CTA that it counts for. A word with
///        another key has no arrivals.
struct BarrierWord {
  unsigned cta;               ///< the CTA that it counts for
  unsigned short generation;  ///< how many are complete, modulo 2^16
  unsigned char expected;     ///< warps of the current generation, as its first arrival states
  unsigned char arrived;      ///< of these

  [[nodiscard]] DMA_HOST_DEVICE static constexpr BarrierWord unpack(unsigned long long word) noexcept {
    return {static_cast<unsigned>(word >> 32), static_cast<unsigned short>(word >> 16),
            static_cast<unsigned char>(word >> 8), static_cast<unsigned char>(word)};
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr unsigned long long pack() const noexcept {
    return static_cast<unsigned long long>(cta) << 32 | static_cast<unsigned long long>(generation) << 16 |
           static_cast<unsigned long long>(expected) << 8 | arrived;
  }

  /// The same word as CTA `key` reads it: without arrivals where its key is another.
  [[nodiscard]] DMA_HOST_DEVICE constexpr BarrierWord seen_by(unsigned key) const noexcept {
    return cta == key ? *this : BarrierWord{key, 0, 0, 0};
  }
  /// Whether an arrival that expects `warps` warps agrees with those before it.
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool agrees(int warps) const noexcept {
    return arrived == 0 || expected == warps;
  }
  /// The word after one more warp has arrived. @pre agrees(warps)
  [[nodiscard]] DMA_HOST_DEVICE constexpr BarrierWord with_arrival(int warps) const noexcept {
    if (arrived + 1 == warps) {
      return {cta, static_cast<unsigned short>(generation + 1), 0, 0};
    }
    return {cta, generation, static_cast<unsigned char>(warps), static_cast<unsigned char>(arrived + 1)};
  }
};

}  // namespace dma
