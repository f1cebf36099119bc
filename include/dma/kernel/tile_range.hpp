#pragma once

#include <dma/config.hpp>

namespace dma::inline v0_1 {

/// Tiles by number: `first`, `first + step`, ... below `last`.
///
///     pipe.for_each_tile(cta.tiles(count), load, use);   // this CTA's of `count`
///     pipe.for_each_tile({.last = 8}, load, use);        // tiles 0 to 7
///     for (int t : cta.tiles(count)) { ... }             // a loop of one's own
///
/// Cost    the same instructions as a loop over three ints
///
/// @pre The range is empty, or step > 0 and last + step is an int. The loops of a pipeline check it.
struct TileRange {
  int first = 0;
  int last = 0;
  int step = 1;

  struct End {
    int last;
  };
  class Iterator {
   public:
    DMA_HOST_DEVICE constexpr Iterator(int tile, int step) noexcept : tile_(tile), step_(step) {}
    [[nodiscard]] DMA_HOST_DEVICE constexpr int operator*() const noexcept { return tile_; }
    DMA_HOST_DEVICE constexpr Iterator& operator++() noexcept {
      tile_ += step_;
      return *this;
    }
    [[nodiscard]] DMA_HOST_DEVICE constexpr bool operator!=(End end) const noexcept { return tile_ < end.last; }

   private:
    int tile_;
    int step_;
  };

  [[nodiscard]] DMA_HOST_DEVICE constexpr Iterator begin() const noexcept { return {first, step}; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr End end() const noexcept { return {last}; }
};

}  // namespace dma::inline v0_1
