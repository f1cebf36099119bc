#pragma once

#include <dma/config.hpp>
#include <dma/standard.hpp>
#include <dma/transfer_pattern.hpp>

namespace dma {

/// Where a pattern's rows lie in shared memory, and what they are aligned to; 0 takes the default.
struct RowLayout {
  int pitch_bytes = 0;  ///< from one row to the next in shared memory; default: dense
  int alignment =
      0;  ///< of every address and pitch, a power of two up to 16; default: the widest that the shape allows
};

/// The constants that all patterns made of rows share.
///
/// Shared  `T[Rows][Cols]`, rows `pitch_bytes` apart; element (r, c) at index `index(r, c)`
template <class T, int Cols, int Rows, RowLayout Layout>
struct RowTile {
  static_assert(Rows > 0 && Cols > 0, "dma: a pattern has at least one row and one column");
  static_assert(stdlib::is_trivially_copyable_v<T>,
                "dma: rows are moved as bytes, so the element of a pattern must be trivially copyable");

  static constexpr int element_bytes = static_cast<int>(sizeof(T));
  static constexpr int row_bytes = Cols * element_bytes;
  static constexpr int pitch_bytes = Layout.pitch_bytes == 0 ? row_bytes : Layout.pitch_bytes;
  static constexpr int tile_bytes = (Rows - 1) * pitch_bytes + row_bytes;
  static constexpr int alignment =
      Layout.alignment == 0 ? natural_alignment(row_bytes | pitch_bytes) : Layout.alignment;

  static_assert(pitch_bytes >= row_bytes,
                "dma::RowLayout: pitch_bytes is shorter than a row, so rows would overlap; use row bytes or more");
  static_assert(
      pitch_bytes % element_bytes == 0,
      "dma::RowLayout: pitch_bytes must be a multiple of sizeof(T), so that elements have an index; round it up");
  static_assert(
      alignment > 0 && (alignment & (alignment - 1)) == 0 && alignment <= 16,
      "dma::RowLayout: alignment must be 1, 2, 4, 8 or 16 bytes; leave it out for the widest that the shape allows");
  static_assert(Rows == 1 || (row_bytes % alignment == 0 && pitch_bytes % alignment == 0),
                "dma::RowLayout: rows and pitch_bytes must be multiples of the alignment; name a smaller alignment");

  [[nodiscard]] DMA_HOST_DEVICE static constexpr int index(int row, int col) noexcept {
    return row * (pitch_bytes / element_bytes) + col;
  }
};

}  // namespace dma
