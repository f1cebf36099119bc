#pragma once

#include <dma/config.hpp>
#include <dma/kernel/tile_range.hpp>

namespace dma::inline v0_1::detail {

/// States the rules of a loop over tiles. Each of the groups steps to its own first and next tile, and the tiles are
/// counted over the slots: all that is an int.
template <int Groups, int Stages>
DMA_HOST_DEVICE void expect_countable(TileRange tiles) {
  [[maybe_unused]] constexpr long long largest = 0x7fffffff;
  [[maybe_unused]] const bool is_empty = tiles.first >= tiles.last;
  [[maybe_unused]] const long long end =
      (is_empty ? tiles.first : tiles.last) + static_cast<long long>(Groups) * tiles.step;
  DMA_EXPECTS(
      is_empty || tiles.step > 0,
      "dma::DmaPipeline: a loop over tiles steps to larger numbers, and this step is not above 0; give the tiles "
      "in rising order",
      "step", tiles.step, "first", tiles.first, "last", tiles.last);
  DMA_EXPECTS(
      (Groups == 1 && is_empty) || (end <= largest && end - tiles.first + Stages <= largest),
      "dma::DmaPipeline: a loop over tiles counts past the largest int; end it earlier, or number the tiles from "
      "0 and add the rest to an address",
      "last", tiles.last, "step", tiles.step, "first", tiles.first);
}

/// Both halves of each tile in one thread, on a layout without DMA warps: `fill(tile)` runs ahead of `use(tile)` by as
/// many tiles as `Stages` slots allow.
template <int Stages, class Fill, class Use>
DMA_HOST_DEVICE void fill_ahead(TileRange tiles, const Fill& fill, const Use& use) {
  expect_countable<1, Stages>(tiles);
  constexpr int ahead = Stages > 1 ? Stages - 1 : 1;
  int filled = tiles.first;
  const auto fill_next = [&] {
    fill(filled);
    filled += tiles.step;
  };
  for (int i = 0; i < ahead && filled < tiles.last; ++i) {
    fill_next();
  }
  for (int tile : tiles) {
    if (Stages > 1 && filled < tiles.last) {
      fill_next();
    }
    use(tile);
    if (Stages == 1 && filled < tiles.last) {
      fill_next();
    }
  }
}

}  // namespace dma::v0_1::detail
