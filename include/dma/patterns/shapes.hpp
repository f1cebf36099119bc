#pragma once

namespace dma::inline v0_1 {

/// The elements of a box: of a `Tile3D`. The axes that are left out have one.
struct TileShape {
  int cols;
  int rows = 1;
  int planes = 1;
};

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

/// The tile of a `Paged`, and the rows of one of its boxes, which is in one page.
///
/// @pre `box_rows` divides `rows` and the rows of a page; it has no default.
struct PagedShape {
  int cols;
  int rows;
  int box_rows;
  int planes = 1;
};

}  // namespace dma::v0_1
