#pragma once

#include <dma/config.hpp>
#include <dma/patterns/box.hpp>
#include <dma/patterns/row_layout.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/patterns/view.hpp>

namespace dma::inline v0_1 {

/// A box out of a pitched two-dimensional array, at any position: elements outside the array arrive as `fill`.
///
/// Global  rows `row` to `row + Rows` and columns `col` to `col + Cols` of an array of `array_rows` x `array_cols`
///         elements whose rows are `pitch_bytes` apart; the address is that of the array's element (0, 0)
/// Shared  `T[Rows][Cols]`, rows `Layout.pitch_bytes` apart; element (r, c) at index `index(r, c)`
/// Cost    `Rows` runs of `Cols * sizeof(T)` bytes where the box is inside (swizzled, one run for each 16 bytes); at
///         the edge the remaining runs, in a loop, and one ordinary store for each element outside. By `TensorCopy` one
///         instruction, at the edge too
///
/// Stored, only the part inside the array is written.
///
/// @pre The array's address, `pitch_bytes`, and the box's first column and its last inside are multiples of
///      `run_alignment` (in bytes). The default alignment is that of an element, which always holds.
template <class T, int Cols, int Rows, RowLayout Layout = RowLayout{.alignment = detail::natural_alignment(sizeof(T))}>
struct Tile2D {
  using Element = T;
  using Tile = detail::RowTile<T, TileShape{.cols = Cols, .rows = Rows}, Layout>;

  static constexpr long long count = static_cast<long long>(Rows) * Cols;
  static constexpr int tile_bytes = Tile::tile_bytes;
  static constexpr int max_run_count = Tile::max_run_count;
  static constexpr int max_run_bytes = Tile::max_run_bytes;
  static constexpr int run_alignment = Tile::alignment;
  static constexpr PatternTraits traits{.runs_are_uniform = true, .tile_alignment = Tile::tile_alignment};
  static constexpr int shared_pitch_bytes = Tile::pitch_bytes;

  long long pitch_bytes = Tile::closest_pitch_bytes;
  int array_rows = Rows;
  int array_cols = Cols;
  int row = 0;
  int col = 0;
  T fill = {};

  /// The box at (`row`, `col`) of a view, for example a `cuda::std::mdspan`: its extents and its pitch.
  ///
  /// @pre The view's last stride is 1, and its extents are ints.
  template <detail::StridedView View>
  [[nodiscard]] DMA_HOST_DEVICE static constexpr Tile2D at(const View& view, int row, int col) {
    detail::expect_rows<2>(view);
    return {detail::pitch_bytes_of<T>(view, 0), static_cast<int>(view.extent(0)), static_cast<int>(view.extent(1)), row,
            col};
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_full() const noexcept {
    return rows_inside().is_all_of(Rows) && cols_inside().is_all_of(Cols);
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int size() const noexcept { return Rows * Cols; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int run_count() const noexcept {
    const int cols = cols_inside().count();
    return cols == 0 ? 0 : Tile::run_count(rows_inside().count(), cols * Tile::element_bytes);
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr long long global_pitch_bytes() const noexcept requires(!Tile::is_swizzled) {
    return pitch_bytes;
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr Run run_at(int i) const noexcept {
    const detail::Inside cols = cols_inside();
    // Dense rows have a form of their own: from the general one the compiler makes more instructions and registers.
    if constexpr (!Tile::is_swizzled) {
      const int r = rows_inside().first + i;
      return {(row + r) * pitch_bytes + (col + cols.first) * static_cast<long long>(Tile::element_bytes),
              r * Tile::pitch_bytes + cols.first * Tile::element_bytes, (cols.last - cols.first) * Tile::element_bytes};
    } else {
      const detail::RowPiece piece = Tile::piece(i, cols.first * Tile::element_bytes, cols.last * Tile::element_bytes);
      const int r = rows_inside().first + piece.row;
      return {(row + r) * pitch_bytes + col * static_cast<long long>(Tile::element_bytes) + piece.first,
              Tile::shared_at(r, piece.first), piece.bytes};
    }
  }

  /// Whether element (r, c) of the tile is outside the array and has the fill value.
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_padding(int r, int c) const noexcept {
    return !rows_inside().has(r) || !cols_inside().has(c);
  }
  /// The same for element i, counted row by row.
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_padding(int i) const noexcept {
    return is_padding(i / Cols, i % Cols);
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int place_of(int i) noexcept { return index(i / Cols, i % Cols); }
  [[nodiscard]] DMA_HOST_DEVICE constexpr T fill_value() const noexcept { return fill; }

  /// The box for a tensor map, columns first.
  [[nodiscard]] DMA_HOST_DEVICE constexpr Box<2> box() const noexcept {
    return {{Cols, Rows},  {array_cols, array_rows}, {Tile::element_bytes, pitch_bytes}, {col, row}, Tile::swizzle,
            Tile::is_dense};
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_valid() const noexcept {
    const detail::Inside cols = cols_inside();
    const long long size = Tile::element_bytes;
    return array_rows >= 0 && array_cols >= 0 && pitch_bytes % run_alignment == 0 &&
           (run_count() == 0 || (col * size % run_alignment == 0 && cols.first * size % run_alignment == 0 &&
                                 (cols.last * size % run_alignment == 0 || Tile::row_bytes % run_alignment != 0)));
  }

  [[nodiscard]] DMA_HOST_DEVICE static constexpr int index(int r, int c) noexcept { return Tile::index(r, c); }

 private:
  [[nodiscard]] DMA_HOST_DEVICE constexpr detail::Inside rows_inside() const noexcept {
    return detail::clip(Rows, row, array_rows);
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr detail::Inside cols_inside() const noexcept {
    return detail::clip(Cols, col, array_cols);
  }
};

}  // namespace dma::inline v0_1
