#pragma once

/// What stays in the L2.

#include "plan.hpp"

#include <dma/dma.hpp>

namespace gemm {

/// Loads of A and B, with priorities for the tile shapes that are faster with them on an H200. In wide tiles each row
/// of A of a band is read for all columns of C. The others are for few rows of tiles: all CTAs read the same rows of A,
/// or of B for C^T, and each row of the other operand is read once.
[[nodiscard]] consteval dma::TensorCopyTuning tuning_of_loads(TileShape tile) {
  using enum dma::L2Priority;
  if (tile.deep > 1) {
    return {.l2_of_parts = {normal, evict_first}};
  }
  if (tile == TileShape{64, 64} || tile == TileShape{128, 96, true} || tile.streams) {
    return {.l2_of_parts = {evict_last, evict_first}};
  }
  return {.l2_of_parts = {tile.columns >= 192 ? evict_last : normal}};
}

/// Of C.
[[nodiscard]] consteval dma::L2Priority priority_of_c(TileShape tile) {
  return tile.streams ? dma::L2Priority::evict_first : dma::L2Priority::normal;
}

}  // namespace gemm
