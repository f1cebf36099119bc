#pragma once

#include <dma/config.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/halo2d.hpp>
#include <dma/patterns/row_layout.hpp>
#include <dma/patterns/tile3d.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1 {

/// The shell around a tile of a three-dimensional array: what a stencil of this radius reads beside the tile itself.
/// Elements outside the array arrive as `fill`.
///
/// Global  the `radius` planes, rows and columns on each side of planes `plane` to `plane + planes`, rows `row` to
///         `row + rows` and columns `col` to `col + cols`, by the numbers of `Shape`; the address is that of the
///         array's element (0, 0, 0), rows `pitch_bytes` and planes `plane_pitch_bytes` apart
/// Shared  `T[planes + 2 * radius][rows + 2 * radius][cols + 2 * radius]` with the tile left open; element (p, r, c),
///         from (-radius, -radius, -radius) on, at index `index(p, r, c)`
/// Cost    six boxes, one after another: the planes before and after, the rows above and below, the columns left and
///         right; without corners, the tile's six faces
///
/// Runs have the alignment of an element, since a shell's columns may begin anywhere.
///
/// @pre The array's address and both pitches are multiples of an element's alignment. The tile may be inside the array
///      or outside.
template <class T, HaloShape Shape>
struct Halo3D {
  static_assert(
      Shape.cols > 0 && Shape.rows > 0 && Shape.planes > 0 && Shape.radius > 0,
      "dma::Halo3D: cols, rows, planes and radius must be positive; use dma::Tile3D for a tile without a halo");

  using Element = T;

  static constexpr int element_bytes = static_cast<int>(sizeof(T));
  static constexpr int area_cols = Shape.cols + 2 * Shape.radius;
  static constexpr int area_rows = Shape.rows + 2 * Shape.radius;
  static constexpr int area_planes = Shape.planes + 2 * Shape.radius;
  /// How far a box extends along an axis whose sides other boxes share: over the corners, or not.
  static constexpr int over = Shape.corners == Corners::included ? Shape.radius : 0;
  static constexpr int wide_cols = Shape.cols + 2 * over;
  static constexpr int wide_rows = Shape.rows + 2 * over;

  static constexpr RowLayout layout{.pitch_bytes = area_cols * element_bytes,
                                    .alignment = detail::natural_alignment(sizeof(T)),
                                    .plane_pitch_bytes = area_rows * area_cols * element_bytes};
  /// Before and after.
  using Flat = Tile3D<T, TileShape{.cols = wide_cols, .rows = wide_rows, .planes = Shape.radius}, layout>;
  /// Above and below.
  using Wide = Tile3D<T, TileShape{.cols = wide_cols, .rows = Shape.radius, .planes = Shape.planes}, layout>;
  /// Left and right.
  using Tall = Tile3D<T, TileShape{.cols = Shape.radius, .rows = Shape.rows, .planes = Shape.planes}, layout>;

  static constexpr int part_count = 6;
  static constexpr int tile_bytes = area_planes * area_rows * area_cols * element_bytes;
  static constexpr int max_run_count =
      2 * (Shape.radius * wide_rows + Shape.planes * Shape.radius + Shape.planes * Shape.rows);
  static constexpr int max_run_bytes = (wide_cols > Shape.radius ? wide_cols : Shape.radius) * element_bytes;
  static constexpr int run_alignment = layout.alignment;

  long long pitch_bytes = area_cols * element_bytes;
  long long plane_pitch_bytes = area_rows * area_cols * element_bytes;
  int array_planes = area_planes;
  int array_rows = area_rows;
  int array_cols = area_cols;
  int plane = Shape.radius;
  int row = Shape.radius;
  int col = Shape.radius;
  T fill = {};

  /// The boxes before, after, above, below, left and right, each with the bytes at which it begins in the tile.
  template <int Index>
  [[nodiscard]] DMA_HOST_DEVICE constexpr auto part() const noexcept {
    using Box = stdlib::conditional_t<(Index < 2), Flat, stdlib::conditional_t<(Index < 4), Wide, Tall>>;
    constexpr Place at = begin<Index>();
    return Box{pitch_bytes,      plane_pitch_bytes, array_planes, array_rows, array_cols,
               plane + at.plane, row + at.row,      col + at.col, fill};
  }
  template <int Index>
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int part_shared_bytes() noexcept {
    constexpr Place at = begin<Index>();
    return element_bytes * index(at.plane, at.row, at.col);
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_full() const noexcept { return detail::parts_are_full(*this); }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int size() const noexcept { return area_planes * area_rows * area_cols; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int run_count() const noexcept { return detail::run_count_of_parts(*this); }
  [[nodiscard]] DMA_HOST_DEVICE constexpr Run run_at(int run) const noexcept {
    return detail::run_of_parts(*this, run);
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_valid() const noexcept { return detail::parts_are_valid(*this); }

  /// @pre Each of p, r and c is -radius or more and less than radius beyond its end of the tile.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int index(int p, int r, int c) noexcept {
    return ((p + Shape.radius) * area_rows + r + Shape.radius) * area_cols + c + Shape.radius;
  }

 private:
  struct Place {
    int plane;
    int row;
    int col;
  };
  /// A box's offset from the tile.
  template <int Index>
  [[nodiscard]] DMA_HOST_DEVICE static constexpr Place begin() noexcept {
    if constexpr (Index < 2) {
      return {Index == 0 ? -Shape.radius : Shape.planes, -over, -over};
    } else if constexpr (Index < 4) {
      return {0, Index == 2 ? -Shape.radius : Shape.rows, -over};
    } else {
      return {0, 0, Index == 4 ? -Shape.radius : Shape.cols};
    }
  }
};

}  // namespace dma::inline v0_1
