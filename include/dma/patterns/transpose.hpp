#pragma once

#include <dma/config.hpp>
#include <dma/patterns/row_layout.hpp>
#include <dma/patterns/transfer_pattern.hpp>

namespace dma::inline v0_1 {

/// A block of a row-major matrix that arrives transposed.
///
/// Global  `rows` rows of `cols` elements; row r starts `r * pitch_bytes` after the first
/// Shared  `T[Cols][Rows | 1]`: element (r, c) of the block at index `index(c, r)`; columns are an odd number of
///         elements apart. With elements of 4, 8 or 16 bytes neither filling them nor reading them along either axis
///         has bank conflicts; for narrower ones `explain` gives the degree
/// Cost    `Rows * Cols` runs of one element: a warp's global accesses are coalesced, each of `sizeof(T)` bytes
///
/// @pre The global address and `pitch_bytes` are multiples of the element's alignment; 0 <= rows <= Rows and
///      0 <= cols <= Cols.
template <class T, int Cols, int Rows>
struct Transpose {
  using Element = T;
  static constexpr int element_bytes = static_cast<int>(sizeof(T));
  using Tile = detail::RowTile<T, TileShape{.cols = Rows, .rows = Cols},
                               RowLayout{.pitch_bytes = (Rows | 1) * element_bytes,
                                         .alignment = detail::natural_alignment(sizeof(T))}>;

  static constexpr long long count = static_cast<long long>(Rows) * Cols;
  static constexpr int tile_bytes = Tile::tile_bytes;
  static constexpr int max_run_count = Rows * Cols;
  static constexpr int max_run_bytes = element_bytes;
  static constexpr int run_alignment = Tile::alignment;
  static constexpr PatternTraits traits{.runs_are_uniform = true};

  long long pitch_bytes = Cols * element_bytes;
  int rows = Rows;
  int cols = Cols;

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_full() const noexcept { return rows == Rows && cols == Cols; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int size() const noexcept { return rows * cols; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int run_count() const noexcept { return rows * cols; }

  [[nodiscard]] DMA_HOST_DEVICE constexpr Run run_at(int i) const noexcept {
    const int row = i / cols;
    const int col = i % cols;
    return {row * pitch_bytes + col * element_bytes, col * Tile::pitch_bytes + row * element_bytes, element_bytes};
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_valid() const noexcept {
    return rows >= 0 && rows <= Rows && cols >= 0 && cols <= Cols && pitch_bytes % run_alignment == 0;
  }

  /// The index of column `col`'s element of row `row` in the transposed tile.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int index(int col, int row) noexcept { return Tile::index(col, row); }
};

}  // namespace dma::inline v0_1
