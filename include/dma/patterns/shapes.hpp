#pragma once

namespace dma {

/// The elements of a box: of a `Tile3D`. The axes that are left out have one.
struct TileShape {
  int cols;
  int rows = 1;
  int planes = 1;
};

}  // namespace dma
