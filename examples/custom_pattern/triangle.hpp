#pragma once

#include <dma/dma.hpp>

/// The lower triangle of a square block, packed: a pattern of our own. It describes which bytes move, as runs; the
/// engines, barriers and bufferings of the library move it in both directions.
///
/// Global  row r of the block starts `r * pitch_bytes` after the first
/// Shared  row r has r + 1 elements and starts at index `index(r, 0)`, the rows one after another
template <int Rows>
struct LowerTriangle {
  using Element = float;

  static constexpr int tile_bytes = Rows * (Rows + 1) / 2 * 4;
  static constexpr int max_run_count = Rows;
  static constexpr int max_run_bytes = Rows * 4;
  static constexpr int run_alignment = 4;

  long long pitch_bytes = Rows * 4;
  int rows = Rows;

  DMA_HOST_DEVICE constexpr bool is_full() const { return rows == Rows; }
  DMA_HOST_DEVICE constexpr int size() const { return rows * (rows + 1) / 2; }
  DMA_HOST_DEVICE constexpr int run_count() const { return rows; }
  DMA_HOST_DEVICE constexpr dma::Run run_at(int row) const {
    return {.global = row * pitch_bytes, .shared = index(row, 0) * 4, .bytes = (row + 1) * 4};
  }

  DMA_HOST_DEVICE static constexpr int index(int row, int col) { return row * (row + 1) / 2 + col; }
};
