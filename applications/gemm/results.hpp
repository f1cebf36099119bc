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

/// The first column of a tile that slot `part` has. The last slot of a tile ends with it, so that columns may be stored
/// twice.
[[nodiscard]] DMA_HOST_DEVICE constexpr int column_of_part(TileShape tile, int part) {
  return (part + 1) * store_columns > tile.columns ? tile.columns - store_columns : part * store_columns;
}
/// Rows of a slot: few for C^T, which uses none.
[[nodiscard]] constexpr int rows_of_slot(TileShape tile) { return tile.is_transposed ? 8 : tile.rows; }
/// Stages of the loads: as many as fit into shared memory beside two slots of the pipeline that stores. In clusters
/// they are even, since two DMA warps take turns at them.
[[nodiscard]] consteval int stages_of(TileShape tile) {
  const int stages = (225 * 1024 - 2 * 128 * rows_of_slot(tile)) / (2 * block * (tile.rows + tile.columns));
  return tile.ctas() > 1 ? stages / 2 * 2 : stages;
}
/// Slots that the results of a tile need; none for C^T, which is written from registers.
[[nodiscard]] consteval int parts_of(TileShape tile) {
  return tile.is_transposed ? 0 : (tile.columns + store_columns - 1) / store_columns;
}
/// Slots of the pipeline that stores, at least two: one for each part of a tile if they fit beside the stages, so that
/// no part waits for another to be stored.
[[nodiscard]] consteval int slots_of(TileShape tile, int stages) {
  const int fit = (224 * 1024 - stages * 2 * block * (tile.rows + tile.columns)) / (128 * rows_of_slot(tile));
  const int wanted = fit < parts_of(tile) ? fit : parts_of(tile);
  return wanted < 2 ? 2 : wanted;
}

/// The results of a warpgroup: 64 rows of C, or of C^T, from row `row` and column `column` on.
template <class Element, TileShape shape>
struct Results {
  using Tile = dma::Tile2D<Element, store_columns, rows_of_slot(shape), swizzled>;
  using Sums = dma::MatrixSums<64, shape.columns>;

  const Problem<Element>& p;
  int row;
  int column;

  DMA_HOST_DEVICE Results(const Problem<Element>& problem, int first_row, int first_column)
      : p(problem), row(first_row), column(first_column) {}

  /// Through the slots of the pipeline that stores, `store_columns` at a time: rows 64 `group` and following of each.
  template <class Stores>
  DMA_HOST_DEVICE void store(Sums& sums, const Stores& out, int group) const {
    constexpr int parts = parts_of(shape);
    add_to(sums);
    dma::unrolled<parts>([&](auto part) {
      const auto tile = out.wait();
      const auto vectors = tile.vectors();
      dma::store_matrix<Element>(
          sums.template columns_from<column_of_part(shape, part.value), store_columns>(), [&](int r, int c) -> auto& {
            return vectors(64 * group + r, c);
          });
    });
  }

  /// From registers, for C^T and for tiles that several CTAs computed.
  DMA_HOST_DEVICE void write(Sums& sums) const {
    if constexpr (shape.is_transposed) {
      sums.for_each([&](int r, int c, float value) {
        if (row + r < p.m && column + c < p.n) {
          Element& to = p.c[(column + c) * p.ldc + row + r];
          const float bias = p.bias != nullptr ? static_cast<float>(p.bias[row + r]) : 0;
          to = static_cast<Element>(value + bias + (p.adds_c ? static_cast<float>(to) : 0));
        }
      });
    } else {
      add_to(sums);
      sums.for_each_pair([&](int r, int c, float first, float second) {
        if (row + r < p.m && column + c < p.n) {
          round_to(pair_at(p.c, row + r, c), first, second);
        }
      });
    }
  }

 private:
  using Pair = dma::stdlib::remove_cvref_t<decltype(*pairs_of(static_cast<const Element*>(nullptr)))>;

  /// Two elements of a row, which are read and written as one word. @pre `c` is even.
  template <class T>
  [[nodiscard]] DMA_HOST_DEVICE auto& pair_at(T* matrix, long long r, int c) const {
    return pairs_of(matrix + r * p.ldc)[(column + c) / 2];
  }

  /// Each pair of columns is read once in a warp, and all reads are in flight together: lanes exchange what they read.
  /// Collective over the warp, but for a tile of eight columns.
  DMA_HOST_DEVICE void add_bias(Sums& sums) const {
    constexpr int eights = shape.columns / 8;
    const int lane = Sums::thread() % 32;
    const auto pair_of = [&](int eight) {
      const int c = 8 * eight + 2 * (lane % 4);
      return eight < eights && column + c < p.n ? pair_at(p.bias, 0, c) : Pair{};
    };
    if constexpr (eights == 1) {
      add_to_rows(sums, 0, pair_of(0));
    } else {
      Pair held[(eights + 7) / 8];
      dma::unrolled<(eights + 7) / 8>([&](auto i) { held[i] = pair_of(8 * i + lane / 4); });
      dma::unrolled<eights>(
          [&](auto i) { add_to_rows(sums, i, dma::machine::shuffle(held[i / 8], 4 * (i % 8) + lane % 4)); });
    }
  }
  /// Both rows that a thread has of eight columns.
  DMA_HOST_DEVICE static void add_to_rows(Sums& sums, int eight, const Pair& pair) {
    add(pair, sums.values[4 * eight], sums.values[4 * eight + 1]);
    add(pair, sums.values[4 * eight + 2], sums.values[4 * eight + 3]);
  }

  DMA_HOST_DEVICE void add_to(Sums& sums) const {
    if (p.bias != nullptr) {
      add_bias(sums);
    }
    if (p.adds_c) {
      sums.for_each_pair([&](int r, int c, float& first, float& second) {
        if (row + r < p.m && column + c < p.n) {
          add(pair_at(p.c, row + r, c), first, second);
        }
      });
    }
  }
};

}  // namespace gemm
