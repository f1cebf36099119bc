#pragma once

#include <dma/config.hpp>
#include <dma/patterns/box.hpp>
#include <dma/patterns/row_layout.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/patterns/view.hpp>

namespace dma::inline v0_1 {

/// A box out of a pitched three-dimensional array, at any position: elements outside the array arrive as `fill`.
///
/// Global  `Shape.planes` planes from `plane` on, `Shape.rows` rows from `row` and `Shape.cols` columns from `col` of
///         an array of `array_planes` x `array_rows` x `array_cols` elements, rows `pitch_bytes` and planes
///         `plane_pitch_bytes` apart; the address is that of the array's element (0, 0, 0)
/// Shared  `T[planes][rows][cols]` of `Shape`, rows `Layout.pitch_bytes` and planes `Layout.plane_pitch_bytes` apart;
///         element (p, r, c) at index `index(p, r, c)`
/// Cost    `planes * rows` runs of `cols * sizeof(T)` bytes where the box is inside (swizzled, one run for each 16
///         bytes); at the edge the remaining runs, in a loop, and one ordinary store for each element outside. By
///         `TensorCopy` one instruction, at the edge too
///
/// Stored, only the part inside the array is written.
///
/// @pre The array's address, both pitches, and the box's first column and its last inside are multiples of
///      `run_alignment` (in bytes). The default alignment is that of an element, which always holds.
template <class T, TileShape Shape, RowLayout Layout = RowLayout{.alignment = detail::natural_alignment(sizeof(T))}>
struct Tile3D {
  using Element = T;
  using Tile = detail::RowTile<T, Shape, Layout>;

  static constexpr long long count = static_cast<long long>(Tile::planes) * Tile::rows * Tile::cols;
  static constexpr int tile_bytes = Tile::tile_bytes;
  static constexpr int max_run_count = Tile::max_run_count;
  static constexpr int max_run_bytes = Tile::max_run_bytes;
  static constexpr int run_alignment = Tile::alignment;
  static constexpr PatternTraits traits{.runs_are_uniform = true, .tile_alignment = Tile::tile_alignment};

  long long pitch_bytes = Tile::closest_pitch_bytes;
  long long plane_pitch_bytes = Tile::rows * Tile::closest_pitch_bytes;
  int array_planes = Tile::planes;
  int array_rows = Tile::rows;
  int array_cols = Tile::cols;
  int plane = 0;
  int row = 0;
  int col = 0;
  T fill = {};

  /// The box at (`plane`, `row`, `col`) of a view, for example a `cuda::std::mdspan`: its extents and its pitches.
  ///
  /// @pre The view's last stride is 1, and its extents are ints.
  template <detail::StridedView View>
  [[nodiscard]] DMA_HOST_DEVICE static constexpr Tile3D at(const View& view, int plane, int row, int col) {
    detail::expect_rows<3>(view);
    return {detail::pitch_bytes_of<T>(view, 1),
            detail::pitch_bytes_of<T>(view, 0),
            static_cast<int>(view.extent(0)),
            static_cast<int>(view.extent(1)),
            static_cast<int>(view.extent(2)),
            plane,
            row,
            col};
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_full() const noexcept {
    return planes_inside().is_all_of(Tile::planes) && rows_inside().is_all_of(Tile::rows) &&
           cols_inside().is_all_of(Tile::cols);
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int size() const noexcept { return static_cast<int>(count); }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int run_count() const noexcept {
    const int cols = cols_inside().count();
    const int rows = planes_inside().count() * rows_inside().count();
    return cols == 0 ? 0 : Tile::run_count(rows, cols * Tile::element_bytes);
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr Run run_at(int i) const noexcept {
    const detail::Inside rows = rows_inside();
    const detail::Inside cols = cols_inside();
    const detail::RowPiece piece = Tile::piece(i, cols.first * Tile::element_bytes, cols.last * Tile::element_bytes);
    const int p = planes_inside().first + piece.row / rows.count();
    const int r = rows.first + piece.row % rows.count();
    return {(plane + p) * plane_pitch_bytes + (row + r) * pitch_bytes +
                col * static_cast<long long>(Tile::element_bytes) + piece.first,
            Tile::shared_at(r, piece.first, p), piece.bytes};
  }

  /// Whether element (p, r, c) of the tile is outside the array and has the fill value.
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_padding(int p, int r, int c) const noexcept {
    return !planes_inside().has(p) || !rows_inside().has(r) || !cols_inside().has(c);
  }
  /// The same for element i, counted plane by plane and row by row.
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_padding(int i) const noexcept {
    return is_padding(i / (Tile::rows * Tile::cols), i / Tile::cols % Tile::rows, i % Tile::cols);
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int place_of(int i) noexcept {
    return index(i / (Tile::rows * Tile::cols), i / Tile::cols % Tile::rows, i % Tile::cols);
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr T fill_value() const noexcept { return fill; }

  /// The box for a tensor map, columns first.
  [[nodiscard]] DMA_HOST_DEVICE constexpr Box<3> box() const noexcept {
    return {{Tile::cols, Tile::rows, Tile::planes},
            {array_cols, array_rows, array_planes},
            {Tile::element_bytes, pitch_bytes, plane_pitch_bytes},
            {col, row, plane},
            Tile::swizzle,
            Tile::is_dense};
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_valid() const noexcept {
    const detail::Inside cols = cols_inside();
    const long long size = Tile::element_bytes;
    return array_planes >= 0 && array_rows >= 0 && array_cols >= 0 && pitch_bytes % run_alignment == 0 &&
           plane_pitch_bytes % run_alignment == 0 &&
           (run_count() == 0 || (col * size % run_alignment == 0 && cols.first * size % run_alignment == 0 &&
                                 (cols.last * size % run_alignment == 0 || Tile::row_bytes % run_alignment != 0)));
  }

  [[nodiscard]] DMA_HOST_DEVICE static constexpr int index(int p, int r, int c) noexcept {
    return Tile::index(r, c, p);
  }

 private:
  [[nodiscard]] DMA_HOST_DEVICE constexpr detail::Inside planes_inside() const noexcept {
    return detail::clip(Tile::planes, plane, array_planes);
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr detail::Inside rows_inside() const noexcept {
    return detail::clip(Tile::rows, row, array_rows);
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr detail::Inside cols_inside() const noexcept {
    return detail::clip(Tile::cols, col, array_cols);
  }
};

}  // namespace dma::inline v0_1
