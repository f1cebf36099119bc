#pragma once

/// The arithmetic of a thread that marches along z: it keeps the sums of the planes around the current one.

#include "field.hpp"

#include <dma/dma.hpp>

namespace stencil {

/// The sums of a thread's `Points` rows, each a vector wide, for the planes from -Radius to Radius around the current
/// one: plane k - Radius at [k].
///
/// The order of a point's terms does not depend on the shape of the tile, so that kernels of different shapes give the
/// same bits.
template <class T, int Radius, int Points>
struct Sums {
  static constexpr int width = Vec<T>::width;
  static constexpr int reach = (Radius + width - 1) / width;  ///< vectors left and right that a point reads

  T of[2 * Radius + 1][Points][width];

  /// Adds a plane's contribution to the sums: to those of its own plane along x and y, to the others along z. Passes
  /// each row's sums of the farthest plane, which are then complete, to `take` at once.
  ///
  /// @param row     row(i) is the thread's vector in row i - Radius of its points
  /// @param beside  beside(i, r) is vector i of those left and right of row r, from left to right
  template <class Row, class Beside, class Take>
  DMA_HOST_DEVICE void add(const Star<T, Radius>& star, const Row& row, const Beside& beside, const Take& take) {
    dma::unrolled<Points + 2 * Radius>([&](auto i) {
      constexpr int r = i - Radius;
      const Vec<T> value = row(i);
      dma::unrolled<Points>([&](auto p) {
        constexpr int distance = r < p ? p - r : r - p;
        if constexpr (distance > 0 && distance <= Radius) {
          accumulate(of[Radius][p], star.c[distance], value.v);
        }
      });
      if constexpr (r >= 0 && r < Points) {
        add_row(r, value, star, beside);
        take(r, complete(r));
      }
    });
  }

  /// The sums of row `r` of the farthest plane.
  [[nodiscard]] DMA_HOST_DEVICE Vec<T> complete(int r) const {
    Vec<T> row;
    dma::unrolled<width>([&](auto v) { row.v[v] = of[0][r][v]; });
    return row;
  }

  /// Sets each row's sums of the farthest plane to `row_of(r)`.
  template <class RowOf>
  DMA_HOST_DEVICE void replace_complete(const RowOf& row_of) {
    dma::unrolled<Points>([&](auto r) {
      const Vec<T> row = row_of(r);
      dma::unrolled<width>([&](auto v) { of[0][r][v] = row.v[v]; });
    });
  }

  /// Advances to the next plane: accumulators rotate by compile-time renaming, without register moves.
  DMA_HOST_DEVICE void shift() {
    dma::unrolled<Points * width>([&](auto i) {
      dma::unrolled<2 * Radius>([&](auto k) { of[k][i / width][i % width] = of[k + 1][i / width][i % width]; });
      of[2 * Radius][i / width][i % width] = 0;
    });
  }

 private:
  /// Adds the contribution of row `r` of the thread's points to the sums of its own row, and of the planes before and
  /// after.
  template <class Beside>
  DMA_HOST_DEVICE void add_row(int r, const Vec<T>& centre, const Star<T, Radius>& star, const Beside& beside) {
    T line[(2 * reach + 1) * width];  // as far as the row is read
    dma::unrolled<2 * reach + 1>([&](auto i) {
      constexpr int side = i < reach ? i : i - 1;
      const Vec<T> value = i == reach ? centre : beside(side, r);
      dma::unrolled<width>([&](auto v) { line[i * width + v] = value.v[v]; });
    });
    dma::unrolled<Radius>([&](auto i) { accumulate(of[i][r], star.c[Radius - i], centre.v); });
    accumulate(of[Radius][r], star.c[0], centre.v);
    dma::unrolled<Radius>([&](auto i) {
      constexpr int k = i + 1;
      accumulate(of[Radius][r], star.c[k], line + reach * width - k);
      accumulate(of[Radius][r], star.c[k], line + reach * width + k);
    });
    dma::unrolled<Radius>([&](auto i) { accumulate(of[Radius + 1 + i][r], star.c[1 + i], centre.v); });
  }

  DMA_HOST_DEVICE static void accumulate(T (&sum)[width], T factor, const T* values) {
    dma::unrolled<width>([&](auto v) { sum[v] += factor * values[v]; });
  }
};

}  // namespace stencil
