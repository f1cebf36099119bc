#pragma once

#include <dma/config.hpp>
#include <dma/patterns/row_layout.hpp>

namespace dma::inline v0_1::detail {

/// What patterns of rows share whose pitch in shared memory is known at run time: its bound.
template <class T, int Cols, int Rows, RowLayout Layout>
struct BoundedPitch {
  static constexpr bool holds_a_row = Layout.max_pitch_bytes >= Cols * int{sizeof(T)};
  static_assert(holds_a_row,
                "dma::RowLayout: max_pitch_bytes is shorter than a row, so rows would overlap; use row bytes or more");
  static_assert(Layout.pitch_bytes == 0,
                "dma::RowLayout: this layout has a constant pitch and one that is known at run time; name pitch_bytes "
                "or max_pitch_bytes");
  static_assert(Layout.swizzle == Swizzle::none,
                "dma::RowLayout: a swizzle needs a constant pitch; name pitch_bytes instead of max_pitch_bytes");

  /// With the rows as far apart as they can be.
  using Tile =
      RowTile<T, TileShape{.cols = Cols, .rows = Rows},
              RowLayout{.pitch_bytes = holds_a_row ? Layout.max_pitch_bytes : 0, .alignment = Layout.alignment}>;

  /// Whether so many rows and columns fit the type, and the rows at this pitch the tile. Fewer rows may be further
  /// apart.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool holds(int rows, int cols, int shared_pitch_bytes) noexcept {
    const int bytes = cols * Tile::element_bytes;
    return rows >= 0 && rows <= Rows && cols >= 0 && cols <= Cols && shared_pitch_bytes >= bytes &&
           shared_pitch_bytes % Tile::alignment == 0 && shared_pitch_bytes % Tile::element_bytes == 0 &&
           (rows <= 1 || shared_pitch_bytes <= (Tile::tile_bytes - bytes) / (rows - 1));
  }
};

}  // namespace dma::v0_1::detail
