#pragma once

#include <dma/config.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/row_layout.hpp>
#include <dma/patterns/tile2d.hpp>
#include <dma/patterns/transfer_pattern.hpp>

namespace dma::inline v0_1 {

/// Whether a halo includes the elements beside its tile along more than one axis: the squares at the corners of a ring,
/// the edges and corners of a shell. A star-shaped stencil does not read them.
enum class Corners { included, excluded };

/// The tile that a halo surrounds, and how many elements wide the halo is: of a `Halo2D`, whose tile has one plane, and
/// of a `Halo3D`.
///
/// @pre `radius` is positive; it has no default.
struct HaloShape {
  int cols;
  int rows;
  int planes = 1;
  int radius;
  Corners corners = Corners::included;
};

/// The ring around a tile of a two-dimensional array: what a stencil of this radius reads beside the tile itself.
/// Elements outside the array arrive as `fill`.
///
/// Global  the `radius` rows above and below and the `radius` columns left and right of rows `row` to `row + rows` and
///         columns `col` to `col + cols`, by the numbers of `Shape`; the address is that of the array's element (0, 0),
///         rows `pitch_bytes` apart
/// Shared  `T[rows + 2 * radius][cols + 2 * radius]` with the tile left open; element (r, c), from (-radius, -radius)
///         on, at index `index(r, c)`
/// Cost    four boxes, one after another: above, below, left, right
/// Source  SC'11, section 6.2 and figure 12
///
/// Runs have the alignment of an element, since a ring's columns may begin anywhere.
///
/// @pre The array's address and `pitch_bytes` are multiples of an element's alignment. The tile may be inside the array
///      or outside.
template <class T, HaloShape Shape>
struct Halo2D {
  static_assert(Shape.cols > 0 && Shape.rows > 0 && Shape.radius > 0,
                "dma::Halo2D: cols, rows and radius must be positive; use dma::Tile2D for a tile without a halo");
  static_assert(Shape.planes == 1, "dma::Halo2D: a ring has one plane; leave planes out, or use dma::Halo3D");

  using Element = T;

  static constexpr int element_bytes = static_cast<int>(sizeof(T));
  static constexpr int area_cols = Shape.cols + 2 * Shape.radius;
  static constexpr int area_rows = Shape.rows + 2 * Shape.radius;
  static constexpr int wide_cols = Shape.corners == Corners::included ? area_cols : Shape.cols;
  /// First column of the wide boxes.
  static constexpr int wide_from = Shape.corners == Corners::included ? -Shape.radius : 0;

  static constexpr RowLayout layout{.pitch_bytes = area_cols * element_bytes,
                                    .alignment = detail::natural_alignment(sizeof(T))};
  using Wide = Tile2D<T, wide_cols, Shape.radius, layout>;
  using Tall = Tile2D<T, Shape.radius, Shape.rows, layout>;

  static constexpr int part_count = 4;
  static constexpr int tile_bytes = area_rows * area_cols * element_bytes;
  static constexpr int max_run_count = 2 * Shape.radius + 2 * Shape.rows;
  static constexpr int max_run_bytes = (wide_cols > Shape.radius ? wide_cols : Shape.radius) * element_bytes;
  static constexpr int run_alignment = layout.alignment;

  long long pitch_bytes = area_cols * element_bytes;
  int array_rows = area_rows;
  int array_cols = area_cols;
  int row = Shape.radius;
  int col = Shape.radius;
  T fill = {};

  /// The boxes above, below, left and right, each with the bytes at which it begins in the tile.
  template <int Index>
  [[nodiscard]] DMA_HOST_DEVICE constexpr auto part() const noexcept {
    if constexpr (Index < 2) {
      return Wide{pitch_bytes,     array_rows, array_cols, Index == 0 ? row - Shape.radius : row + Shape.rows,
                  col + wide_from, fill};
    } else {
      return Tall{pitch_bytes, array_rows, array_cols, row, Index == 2 ? col - Shape.radius : col + Shape.cols, fill};
    }
  }
  template <int Index>
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int part_shared_bytes() noexcept {
    return element_bytes * (Index == 0   ? index(-Shape.radius, wide_from)
                            : Index == 1 ? index(Shape.rows, wide_from)
                            : Index == 2 ? index(0, -Shape.radius)
                                         : index(0, Shape.cols));
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_full() const noexcept { return detail::parts_are_full(*this); }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int size() const noexcept { return area_rows * area_cols; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int run_count() const noexcept { return detail::run_count_of_parts(*this); }
  [[nodiscard]] DMA_HOST_DEVICE constexpr Run run_at(int run) const noexcept {
    return detail::run_of_parts(*this, run);
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_valid() const noexcept { return detail::parts_are_valid(*this); }

  /// @pre -radius <= r < rows + radius and -radius <= c < cols + radius.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int index(int r, int c) noexcept {
    return (r + Shape.radius) * area_cols + c + Shape.radius;
  }
};

}  // namespace dma::inline v0_1
