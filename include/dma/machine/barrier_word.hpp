#pragma once

#include <dma/config.hpp>

namespace dma {

/// A named barrier as two words of memory, as the checked build keeps it: the hardware's state cannot be read, and a
/// wait for it cannot be ended.
///
/// Counts warps, as the hardware does. The last arrival that a generation needs completes it, and the next may begin at
/// once. One word counts: arrivals in its lowest 8 bits, complete generations above. The other is the header.
///
/// Cost    an atomic addition an arrival, two for the last of a generation
struct BarrierWord {
  unsigned word;

  /// The generation that an arrival belongs to which found this word, of `warps` warps each. A warp may arrive for the
  /// next one before the last warp of this one has taken its arrivals away.
  [[nodiscard]] DMA_HOST_DEVICE constexpr unsigned generation(int warps) const noexcept {
    return ((word >> 8) + (word & 0xffU) / static_cast<unsigned>(warps)) & most_generations;
  }
  /// Whether that arrival is its generation's last, which then adds `completion`.
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool completes(int warps) const noexcept {
    return (word & 0xffU) % static_cast<unsigned>(warps) == static_cast<unsigned>(warps) - 1;
  }
  /// What completes a generation: one generation more, and its arrivals taken away.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr unsigned completion(int warps) noexcept {
    return 0x100U - static_cast<unsigned>(warps);
  }
  /// Whether `generation` is complete. @pre It is at most 2^23 away from the current one.
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool has_completed(unsigned generation) const noexcept {
    return (((word >> 8) - generation - 1) & most_generations) < most_generations / 2;
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_idle() const noexcept { return (word & 0xffU) == 0; }

  static constexpr unsigned most_generations = 0xffffff;
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

}  // namespace dma
