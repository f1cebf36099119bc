#pragma once

namespace dma::inline v0_1 {

/// Three extents or coordinates, as of a grid or a block index.
struct Index3 {
  int x = 1;
  int y = 1;
  int z = 1;

  friend constexpr bool operator==(const Index3&, const Index3&) = default;
};

}  // namespace dma::inline v0_1
