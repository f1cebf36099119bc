#pragma once

#include <dma/config.hpp>
#include <dma/run.hpp>
#include <dma/standard.hpp>
#include <dma/transfer_pattern.hpp>

namespace dma {

/// What a `Strided` tile may choose at compile time besides its shape; 0 takes the default.
struct StridedLayout {
  int destination_pitch_bytes = 0;  ///< from one row to the next in shared memory; default: dense
  int alignment = 0;                ///< of the source address and of both pitches; default: the widest that rows allow
};

/// A block of a row-major matrix.
///
/// Global  `rows` rows of `cols` elements; row r starts `r * pitch_bytes` after the first
/// Shared  `T[Rows][Cols]`, rows `destination_pitch_bytes` apart; element (r, c) at index `index(r, c)`
/// Cost    `Rows` runs of `Cols * sizeof(T)` bytes in accesses of `run_alignment` bytes
/// Source  cudaDMAStrided (SC'11, section 3.2), without its per-thread byte budget, which the engine now decides
///
/// `Strided{pitch}` is the full tile, `Strided{pitch, rows, cols}` its upper left corner. A column-major matrix is a
/// row-major one with the axes' names exchanged.
///
/// @pre The source address and `pitch_bytes` are multiples of `run_alignment`; a negative pitch takes rows upwards.
/// @pre 0 <= rows <= Rows and 0 <= cols <= Cols; `cols * sizeof(T)` is a multiple of `run_alignment`.
template <class T, int Cols, int Rows, StridedLayout Shape = StridedLayout{}>
struct Strided {
  static_assert(Rows > 0 && Cols > 0, "dma::Strided: Rows and Cols must be positive");
  static_assert(stdlib::is_trivially_copyable_v<T>,
                "dma::Strided: T is moved as bytes, so it must be trivially copyable");

  using Element = T;

  static constexpr int count = Rows * Cols;
  static constexpr int row_bytes = Cols * static_cast<int>(sizeof(T));
  static constexpr int destination_pitch_bytes =
      Shape.destination_pitch_bytes == 0 ? row_bytes : Shape.destination_pitch_bytes;
  static constexpr int tile_bytes = (Rows - 1) * destination_pitch_bytes + row_bytes;
  static constexpr int max_run_count = Rows;
  static constexpr int max_run_bytes = row_bytes;
  static constexpr int run_alignment =
      Shape.alignment == 0 ? natural_alignment(row_bytes | destination_pitch_bytes) : Shape.alignment;
  static constexpr bool runs_are_uniform = true;

  static_assert(
      destination_pitch_bytes >= row_bytes,
      "dma::Strided: destination_pitch_bytes is shorter than a row, so rows would overlap; use row bytes or more");
  static_assert(
      destination_pitch_bytes % static_cast<int>(sizeof(T)) == 0,
      "dma::Strided: destination_pitch_bytes must be a multiple of sizeof(T), so that elements have an index");
  static_assert(run_alignment > 0 && (run_alignment & (run_alignment - 1)) == 0 && run_alignment <= 16,
                "dma::Strided: alignment must be 1, 2, 4, 8 or 16 bytes");
  static_assert(
      Rows == 1 || (row_bytes % run_alignment == 0 && destination_pitch_bytes % run_alignment == 0),
      "dma::Strided: rows and destination pitch must be multiples of the alignment; name a smaller alignment");

  long long pitch_bytes = row_bytes;
  int rows = Rows;
  int cols = Cols;

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_full() const noexcept { return rows == Rows && cols == Cols; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int size() const noexcept { return rows * cols; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int run_count() const noexcept { return rows; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr long long source_pitch_bytes() const noexcept { return pitch_bytes; }

  [[nodiscard]] DMA_HOST_DEVICE constexpr Run run_at(int row) const noexcept {
    return {row * pitch_bytes, row * destination_pitch_bytes, cols * static_cast<int>(sizeof(T))};
  }

  /// Whether shape and pitch are ones that this type can move; asked by the checked build before each load.
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_valid() const noexcept {
    return rows >= 0 && rows <= Rows && cols >= 0 && cols <= Cols &&
           (rows <= 1 ||
            (pitch_bytes % run_alignment == 0 && (cols * static_cast<int>(sizeof(T))) % run_alignment == 0));
  }

  [[nodiscard]] DMA_HOST_DEVICE static constexpr int index(int row, int col) noexcept {
    return row * (destination_pitch_bytes / static_cast<int>(sizeof(T))) + col;
  }
};

}  // namespace dma
