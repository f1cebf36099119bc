#pragma once

#include <dma/config.hpp>

namespace dma::inline v0_1::detail {

/// One side's position in a pipeline: the stage of its next tile, and the parity of that stage's generation.
///
/// Two registers and a predicate, private to a thread. The k-th tile is in stage `k % stages`, generation `k / stages`.
struct Cursor {
  int stage = 0;
  unsigned parity = 0;   ///< of this stage's generation
  bool wrapped = false;  ///< whether stages are being used again: in the first round every slot is empty

  /// Moves on by one tile.
  DMA_HOST_DEVICE constexpr void advance(int stages) noexcept {
    if (++stage == stages) {
      stage = 0;
      parity ^= 1U;
      wrapped = true;
    }
  }

  /// Moves on by `tiles` tiles, in constant time.
  DMA_HOST_DEVICE constexpr void advance(int stages, int tiles) noexcept {
    const int rounds = (stage + tiles) / stages;
    stage = (stage + tiles) % stages;
    parity ^= static_cast<unsigned>(rounds) & 1U;
    wrapped = wrapped || rounds > 0;
  }

  /// Whether `tiles` tiles came before, at most `stages`.
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool follows(int tiles) const noexcept { return wrapped || stage >= tiles; }
  /// Stage and parity of the tile that came `tiles` before. @pre follows(tiles), tiles <= stages
  [[nodiscard]] DMA_HOST_DEVICE constexpr Cursor before(int stages, int tiles) const noexcept {
    const bool is_of_last_round = stage < tiles;
    return {is_of_last_round ? stage - tiles + stages : stage - tiles, parity ^ (is_of_last_round ? 1U : 0U), wrapped};
  }

  friend constexpr bool operator==(const Cursor&, const Cursor&) = default;
};

}  // namespace dma::inline v0_1::detail
