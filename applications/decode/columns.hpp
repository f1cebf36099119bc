#pragma once

/// The softmax of columns: a block's scores have a row for each key and a column for each query.

#include "../attention/softmax.hpp"

#include <dma/dma.hpp>
#include <dma/matrix/sums.hpp>

namespace decode {

/// Of the columns that a thread has parts of: the two from 2 (t % 4) on of each eight.
template <int columns>
struct Columns {
  static constexpr int own = columns / 4;
  static constexpr float none = attention::Rows::none;  ///< below any scaled score

  float zero[own];  ///< the scaled score whose power is 1
  float sum[own];   ///< of powers

  DMA_HOST_DEVICE Columns() {
    dma::unrolled<own>([&](auto i) {
      zero[i] = none;
      sum[i] = 0;
    });
  }

  /// The column of own column `i`.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int column_of(int thread, int i) {
    return i / 2 * 8 + thread % 4 * 2 + i % 2;
  }
  /// What the sums of column i are multiplied by at the end: 0 where it sees no key.
  [[nodiscard]] DMA_HOST_DEVICE float factor_of(int i) const { return zero[i] == none ? 0.0F : 1 / sum[i]; }
  /// The logarithm of the sum of e to a column's scaled scores.
  [[nodiscard]] DMA_HOST_DEVICE float log_sum(int i) const {
    return zero[i] == none ? -attention::infinity() : (zero[i] + std::log2(sum[i])) / attention::log_2_of_e;
  }
};

/// Multiplies own column i of a warpgroup's sums by factor i.
template <int columns>
DMA_HOST_DEVICE void multiply_columns(dma::MatrixSums<64, columns>& sums, const float (&factors)[columns / 4]) {
  dma::unrolled<columns / 2>([&](auto i) { sums.values[i] *= factors[i / 4 * 2 + i % 2]; });
}

/// Of the eight threads of a warp that have parts of the same columns.
template <class Cta, int own, class Combine>
DMA_HOST_DEVICE void across_warp(const Cta& cta, float (&values)[own], const Combine& combine) {
  dma::unrolled<3>([&](auto step) {
    dma::unrolled<own>(
        [&](auto i) { values[i] = combine(values[i], cta.shuffle(values[i], cta.lane() ^ (4 << step))); });
  });
}

}  // namespace decode
