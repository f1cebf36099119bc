#pragma once

/// What becomes of the sums: bias and C are added, and the result, rounded once, is stored.

#include "plan.hpp"
#include "problem.hpp"

#include <dma/dma.hpp>
#include <dma/matrix/store_matrix.hpp>
#include <dma/matrix/sums.hpp>

namespace gemm {

inline constexpr dma::RowLayout swizzled{.swizzle = dma::Swizzle::bytes_128};
inline constexpr int store_columns = 64;  ///< of C in a slot: 128 bytes

/// The results of a warpgroup: 64 rows of C from row `row` and column `column` on.
template <class Element, int tile_rows>
struct Results {
  using Tile = dma::Tile2D<Element, store_columns, tile_rows, swizzled>;

  const Problem<Element>& p;
  int row;
  int column;

  DMA_HOST_DEVICE Results(const Problem<Element>& problem, int first_row, int first_column)
      : p(problem), row(first_row), column(first_column) {}

  /// Through the slots of the pipeline that stores, `store_columns` at a time: rows 64 `group` and following of each.
  template <int columns, class Stores>
  DMA_HOST_DEVICE void store(dma::MatrixSums<64, columns>& sums, const Stores& out, int group) const {
    add_to(sums);
    dma::unrolled<columns / store_columns>([&](auto part) {
      const auto tile = out.wait();
      const auto vectors = tile.vectors();
      dma::store_matrix<Element>(
          columns_of<part.value>(sums), [&](int r, int c) -> auto& { return vectors(64 * group + r, c); });
    });
  }

  /// From registers, for the tiles that several CTAs computed.
  template <int columns>
  DMA_HOST_DEVICE void write(dma::MatrixSums<64, columns>& sums) const {
    add_to(sums);
    sums.for_each_pair([&](int r, int c, float first, float second) {
      if (row + r < p.m && column + c < p.n) {
        round_to(pair_at(p.c, row + r, c), first, second);
      }
    });
  }

 private:
  /// Two elements of a row, which are read and written as one word. @pre `c` is even.
  template <class T>
  [[nodiscard]] DMA_HOST_DEVICE auto& pair_at(T* matrix, long long r, int c) const {
    return pairs_of(matrix + r * p.ldc)[(column + c) / 2];
  }

  template <int columns>
  DMA_HOST_DEVICE void add_to(dma::MatrixSums<64, columns>& sums) const {
    if (p.bias != nullptr) {
      sums.for_each_pair([&](int, int c, float& first, float& second) {
        if (column + c < p.n) {
          add(pair_at(p.bias, 0, c), first, second);
        }
      });
    }
    if (p.adds_c) {
      sums.for_each_pair([&](int r, int c, float& first, float& second) {
        if (row + r < p.m && column + c < p.n) {
          add(pair_at(p.c, row + r, c), first, second);
        }
      });
    }
  }

  /// Columns `part` * `store_columns` and following, as sums of their own: other names of the same registers.
  template <int part, int columns>
  [[nodiscard]] DMA_HOST_DEVICE static auto columns_of(const dma::MatrixSums<64, columns>& sums) {
    dma::MatrixSums<64, store_columns> some;
    dma::unrolled<some.count>([&](auto i) { some.values[i] = sums.values[part * some.count + i]; });
    return some;
  }
};

}  // namespace gemm
