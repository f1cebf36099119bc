#pragma once

#include <dma/dma.hpp>

#include <stdexcept>
#include <string>

namespace stencil {

/// A column of the domain, or a part of one: what a CTA marches through.
struct Item {
  int x;  ///< of the tile's first point
  int y;
  int first;  ///< plane to write, and the one after the last
  int last;
};

/// Assigns points to CTAs: the domain is cut into columns, a tile wide and as long as the domain is deep, and each
/// column into equal chunks of planes. CTA b computes items b, b + CTAs, ...
///
/// Neighbouring CTAs are at the same plane at the same time, while the data that they share is still in the L2.
struct Partition {
  int columns_x;
  int columns_y;
  int chunks;
  int tile_cols;
  int tile_rows;
  int nz;
  int end = 0;  ///< planes of a slab beyond `nz`, see slab_items.hpp

  [[nodiscard]] DMA_HOST_DEVICE constexpr int columns() const { return columns_x * columns_y; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int items() const { return columns() * chunks; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr Item item(int i) const {
    const int column = i % columns();
    const int chunk = i / columns();
    return {column % columns_x * tile_cols, column / columns_x * tile_rows, first_plane(chunk), first_plane(chunk + 1)};
  }

 private:
  /// `nz * chunk / chunks` by 32-bit divisions.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int first_plane(int chunk) const {
    return nz / chunks * chunk + nz % chunks * chunk / chunks;
  }
};

[[nodiscard]] constexpr Partition partition(int nx, int ny, int nz, int tile_cols, int tile_rows, int chunks) {
  return {(nx + tile_cols - 1) / tile_cols,
          (ny + tile_rows - 1) / tile_rows,
          chunks < nz ? chunks : nz,
          tile_cols,
          tile_rows,
          nz,
          0};
}

/// Throws where a partition is for other tiles than `kernel` has.
inline void expect_tiles(const std::string& kernel, const Partition& work, int cols, int rows) {
  if (work.tile_cols != cols || work.tile_rows != rows) {
    throw std::invalid_argument(kernel + ": the partition is for tiles of " + std::to_string(work.tile_cols) + " x " +
                                std::to_string(work.tile_rows) + " points and the kernel has " + std::to_string(cols) +
                                " x " + std::to_string(rows) + "; make it by plan()");
  }
}
inline void expect_counter(const std::string& kernel, const dma::PaceCounter* counter) {
  if (counter == nullptr) {
    throw std::invalid_argument(
        kernel + ": CTAs keep pace by a counter and there is none; give a dma::PaceCounter that is zero");
  }
}

}  // namespace stencil
