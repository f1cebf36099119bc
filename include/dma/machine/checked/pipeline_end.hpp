#pragma once

#include <dma/config.hpp>

namespace dma::inline v0_1::machine {

/// Where a warp has ended a pipeline, as the checked build keeps it in a word of the pipeline's storage: before which
/// tile, and which pipeline this was.
///
/// Warps end pipelines in the same order, so their number, modulo 2^15, names one. Nothing holds a warp back: it may
/// end the next pipeline in a storage before another warp has ended this one. So the word is that of the warp that is
/// ahead of all, and a warp is compared with it where both have ended the same pipeline.
struct PipelineEnd {
  unsigned word;

  /// @param number  of pipelines that the warp has ended before
  /// @param tile    modulo 2^12
  [[nodiscard]] DMA_HOST_DEVICE static constexpr PipelineEnd of(unsigned number, unsigned tile) noexcept {
    return {number % numbers << 12 | (tile & most_tile)};
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr unsigned tile() const noexcept { return word & most_tile; }
  /// Whether it is an end of another pipeline, which came later. @pre It is less than 2^14 pipelines away.
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_after(PipelineEnd other) const noexcept {
    const unsigned ahead = ((word >> 12) - (other.word >> 12)) % numbers;
    return ahead != 0 && ahead < numbers / 2;
  }

  static constexpr unsigned numbers = 1U << 15;
  static constexpr unsigned most_tile = 0xfff;
};

}  // namespace dma::inline v0_1::machine
