#pragma once

#include <dma/config.hpp>
#include <dma/patterns/row_layout.hpp>
#include <dma/run.hpp>

namespace dma {

/// A box out of a pitched two-dimensional array, wherever it lies: what is outside the array arrives as `fill`.
///
/// Global  rows `row` to `row + Rows` and columns `col` to `col + Cols` of an array of `array_rows` x `array_cols`
///         elements whose rows are `pitch_bytes` apart; the address is that of the array's element (0, 0)
/// Shared  `T[Rows][Cols]`, rows `Layout.pitch_bytes` apart; element (r, c) at index `index(r, c)`
/// Cost    `Rows` runs of `Cols * sizeof(T)` bytes where the box is inside; at the edge the runs that are left, in a
/// loop,
///         and one store for each element outside
///
/// Stored, the part inside the array is written and the rest is not.
///
/// @pre The array's address, `pitch_bytes`, the box's first column and its last inside are multiples of `run_alignment`
///      (in bytes); the default alignment is that of an element, which always holds.
template <class T, int Cols, int Rows, RowLayout Layout = RowLayout{.alignment = natural_alignment(sizeof(T))}>
struct Tile2D {
  using Element = T;
  using Tile = RowTile<T, Cols, Rows, Layout>;

  static constexpr long long count = static_cast<long long>(Rows) * Cols;
  static constexpr int tile_bytes = Tile::tile_bytes;
  static constexpr int max_run_count = Rows;
  static constexpr int max_run_bytes = Tile::row_bytes;
  static constexpr int run_alignment = Tile::alignment;
  static constexpr bool runs_are_uniform = true;
  static constexpr int shared_pitch_bytes = Tile::pitch_bytes;

  long long pitch_bytes = Tile::row_bytes;
  int array_rows = Rows;
  int array_cols = Cols;
  int row = 0;
  int col = 0;
  T fill = {};

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_full() const noexcept {
    return first_row() == 0 && last_row() == Rows && first_col() == 0 && last_col() == Cols;
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int size() const noexcept { return Rows * Cols; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int run_count() const noexcept {
    return last_col() > first_col() && last_row() > first_row() ? last_row() - first_row() : 0;
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr long long global_pitch_bytes() const noexcept { return pitch_bytes; }

  [[nodiscard]] DMA_HOST_DEVICE constexpr Run run_at(int i) const noexcept {
    const int r = first_row() + i;
    const int c = first_col();
    return {(row + r) * pitch_bytes + (col + c) * static_cast<long long>(Tile::element_bytes),
            r * Tile::pitch_bytes + c * Tile::element_bytes, (last_col() - c) * Tile::element_bytes};
  }

  /// Whether element (r, c) of the tile lies outside the array and takes the fill value.
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool fills(int r, int c) const noexcept {
    return r < first_row() || r >= last_row() || c < first_col() || c >= last_col();
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_valid() const noexcept {
    return array_rows >= 0 && array_cols >= 0 && pitch_bytes % run_alignment == 0 &&
           (run_count() == 0 || ((col + first_col()) * Tile::element_bytes % run_alignment == 0 &&
                                 first_col() * Tile::element_bytes % run_alignment == 0 &&
                                 last_col() * Tile::element_bytes % run_alignment == 0));
  }

  [[nodiscard]] DMA_HOST_DEVICE static constexpr int index(int r, int c) noexcept { return Tile::index(r, c); }

 private:
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int clamp(long long value, int high) noexcept {
    return static_cast<int>(value < 0 ? 0 : value > high ? high : value);
  }
  // The tile's rows and columns that lie inside the array: [first, last).
  [[nodiscard]] DMA_HOST_DEVICE constexpr int first_row() const noexcept {
    return clamp(-static_cast<long long>(row), Rows);
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int last_row() const noexcept {
    return clamp(static_cast<long long>(array_rows) - row, Rows);
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int first_col() const noexcept {
    return clamp(-static_cast<long long>(col), Cols);
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int last_col() const noexcept {
    return clamp(static_cast<long long>(array_cols) - col, Cols);
  }
};

}  // namespace dma
