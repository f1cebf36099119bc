#pragma once

#include <dma/config.hpp>

namespace dma::detail {

/// States the rules of a loop over tiles `first`, `first + step`, ... below `last`. Each of the groups steps to its own
/// first and next tile, and the tiles are counted over the slots: all that is an int.
template <int Groups, int Stages>
DMA_HOST_DEVICE void expect_countable(int first, int last, int step) {
  [[maybe_unused]] constexpr long long largest = 0x7fffffff;
  [[maybe_unused]] const long long end = (first < last ? last : first) + static_cast<long long>(Groups) * step;
  DMA_EXPECTS(
      first >= last || step > 0,
      "dma::DmaPipeline: a loop over tiles steps to larger numbers, and this step is not above 0; give the tiles "
      "in rising order",
      "step", step, "first", first, "last", last);
  DMA_EXPECTS(
      (Groups == 1 && first >= last) || (end <= largest && end - first + Stages <= largest),
      "dma::DmaPipeline: a loop over tiles counts past the largest int; end it earlier, or number the tiles from "
      "0 and add the rest to an address",
      "last", last, "step", step, "first", first);
}

/// Both halves of each tile in one thread, on a layout without DMA warps: `fill(tile)` runs ahead of `use(tile)` by as
/// many tiles as `Stages` slots allow. Tiles are `first`, `first + step`, ... below `last`.
template <int Stages, class Fill, class Use>
DMA_HOST_DEVICE void fill_ahead(int first, int last, int step, const Fill& fill, const Use& use) {
  expect_countable<1, Stages>(first, last, step);
  constexpr int ahead = Stages > 1 ? Stages - 1 : 1;
  int filled = first;
  const auto fill_next = [&] {
    fill(filled);
    filled += step;
  };
  for (int i = 0; i < ahead && filled < last; ++i) {
    fill_next();
  }
  for (int tile = first; tile < last; tile += step) {
    if (Stages > 1 && filled < last) {
      fill_next();
    }
    use(tile);
    if (Stages == 1 && filled < last) {
      fill_next();
    }
  }
}

}  // namespace dma::detail
