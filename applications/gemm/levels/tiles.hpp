#pragma once

/// What all levels have: a tile of C a CTA, whose operands come by TMA in blocks of 64 values of k.

#include "../problem.hpp"

#include <dma/dma.hpp>
#include <dma/matrix/sums.hpp>

namespace gemm::levels {

/// The blocks of a tile of C of rows x columns, and where it is.
template <int rows, int columns>
struct Tiles {
  using Element = BFloat16;
  static constexpr int block = 64;  ///< values of k
  static constexpr dma::RowLayout swizzled{.swizzle = dma::Swizzle::bytes_128};
  using OfA = dma::Tile2D<Element, block, rows, swizzled>;
  using OfB = dma::Tile2D<Element, block, columns, swizzled>;
  using Stage = dma::Concat<OfA, OfB>;
  using Map = dma::TensorMap<Stage>;

  int row;     ///< of C
  int column;  ///< of C

  /// Tiles are numbered along the rows of C.
  DMA_HOST_DEVICE Tiles(const Problem<Element>& p, int number)
      : row(number / across(p) * rows), column(number % across(p) * columns) {}

  [[nodiscard]] DMA_HOST_DEVICE static int across(const Problem<Element>& p) { return (p.n + columns - 1) / columns; }
  [[nodiscard]] DMA_HOST_DEVICE static int ctas(const Problem<Element>& p) {
    return (p.m + rows - 1) / rows * across(p);
  }

  /// The blocks from a k on: parts of A and B outside of them arrive as zeros.
  [[nodiscard]] DMA_HOST_DEVICE static OfA of_a(const Problem<Element>& p, int row = 0, int at = 0) {
    return {p.lda * 2, p.m, p.k, row, at};
  }
  [[nodiscard]] DMA_HOST_DEVICE static OfB of_b(const Problem<Element>& p, int column = 0, int at = 0) {
    return {p.ldb * 2, p.n, p.k, column, at};
  }
  [[nodiscard]] DMA_HOST_DEVICE Stage stage(const Problem<Element>& p, int at) const {
    return Stage{of_a(p, row, at), of_b(p, column, at)};
  }
  /// What is inside C, of 64 rows from `first` of the tile on.
  DMA_HOST_DEVICE void write(const Problem<Element>& p, dma::MatrixSums<64, columns>& sums, int first = 0) const {
    sums.for_each_pair([&](int r, int c, float left, float right) {
      if (row + first + r < p.m && column + c < p.n) {
        round_to(*pairs_of(p.c + (row + first + r) * p.ldc + column + c), left, right);
      }
    });
  }
  DMA_HOST_DEVICE void write(const Problem<Element>& p, int r, int c, float value) const {
    if (row + r < p.m && column + c < p.n) {
      p.c[(row + r) * p.ldc + column + c] = Element(value);
    }
  }
};

}  // namespace gemm::levels
