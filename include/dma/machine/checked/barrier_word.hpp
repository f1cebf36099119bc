#pragma once

#include <dma/config.hpp>

namespace dma::inline v0_1::machine {

/// A named barrier as two words of memory, as the checked build keeps it beside the hardware's: the hardware's state
/// cannot be read, and a wait for it cannot be ended.
///
/// Counts warps, as the hardware does. One word counts arrivals, modulo 2^20 generations; the other is the header.
///
/// Cost    an atomic increment an arrival
struct BarrierWord {
  unsigned word;

  /// The generation that an arrival belongs to which found this word, of `warps` warps each.
  [[nodiscard]] DMA_HOST_DEVICE constexpr unsigned generation(int warps) const noexcept {
    return word / static_cast<unsigned>(warps);
  }
  /// The word before it is 0 again.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr unsigned last(int warps) noexcept {
    return generations * static_cast<unsigned>(warps) - 1;
  }
  /// Whether `wanted` is complete. @pre It is at most 2^19 away from the current one.
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool has_completed(unsigned wanted, int warps) const noexcept {
    return (generation(warps) - wanted - 1) % generations < generations / 2;
  }
  /// Whether all but one have arrived.
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_complete_with_one_more(int warps) const noexcept {
    return word % static_cast<unsigned>(warps) == static_cast<unsigned>(warps) - 1;
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_idle(int warps) const noexcept {
    return word % static_cast<unsigned>(warps) == 0;
  }
  /// An idle barrier's word where later generations have `after` warps instead of `before`.
  [[nodiscard]] DMA_HOST_DEVICE constexpr unsigned with_warps(int before, int after) const noexcept {
    return generation(before) * static_cast<unsigned>(after);
  }

  static constexpr unsigned generations = 1U << 20;
};

/// Whose arrivals a barrier's word counts. Shared memory is not cleared before a CTA, so the header has the CTA's key,
/// and how many warps a generation needs.
struct BarrierHeader {
  unsigned word;

  [[nodiscard]] DMA_HOST_DEVICE static constexpr BarrierHeader of(unsigned cta, int warps) noexcept {
    return {cta << 6 | static_cast<unsigned>(warps)};
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_of(unsigned cta) const noexcept { return word >> 6 == cta << 6 >> 6; }
  /// The warps of a generation; 0 while a warp clears the count.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int warps() const noexcept { return static_cast<int>(word & 0x3fU); }
};

}  // namespace dma::inline v0_1::machine
