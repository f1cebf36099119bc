#pragma once

#include <dma/config.hpp>
#include <dma/machine/machine.hpp>
#include <dma/patterns/row_layout.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1 {

namespace detail {

/// A layout whose alignment is that of an element where it names none.
template <class T>
[[nodiscard]] consteval RowLayout aligned_to_elements(RowLayout layout) noexcept {
  layout.alignment = layout.alignment == 0 ? natural_alignment(sizeof(T)) : layout.alignment;
  return layout;
}

}  // namespace detail

/// Rows of different lengths, stored one after another, with a list of where each begins: compressed sparse rows.
///
/// Global  row k: elements `offsets[k]` to `offsets[k + 1]` - 1 from the address on. The tile's row r is `indices[r]`,
///         or r where `indices` is null: `offsets + first` names consecutive rows from `first` on
/// Shared  `T[Rows][Cols]`, rows `Layout.pitch_bytes` apart; element (r, c) at index `index(r, c)`. Behind the end of
///         a row old values remain
/// Cost    one run a row. The lanes of a warp read where its next 32 rows begin at once, then all of them move one row
///         after another
///
/// Elements `col` to `col + Cols` of each row move: a longer row takes several tiles, a shorter one ends early.
/// `length(r)` is how many of row r are in the tile. Without `offsets` rows have `Cols` elements and are
/// `closest_pitch_bytes` apart.
///
/// @pre The address, each row's first byte and `col * sizeof(T)` are multiples of `run_alignment`, by default that of
///      an element. 0 <= rows <= Rows, 0 <= col.
/// @pre Indices are 0 to `table_rows` - 1. The checked build reports the first that is not, with its position and
///      value.
template <class T, int Cols, int Rows, detail::RowsOrIndexedRows auto Layout = RowLayout{}>
struct Csr {
  using Index = detail::IndexOfRows<Layout>;
  static constexpr RowLayout layout = detail::aligned_to_elements<T>(detail::layout_of_rows<Layout>);
  static_assert(stdlib::is_integral_v<Index> && (sizeof(Index) == 4 || sizeof(Index) == 8),
                "dma::Csr: Index must be an integer of 32 or 64 bits; widen the lists of offsets and indices");
  static_assert(layout.swizzle == Swizzle::none,
                "dma::Csr: a swizzle moves chunks of 16 bytes and rows of this pattern end anywhere; use "
                "Swizzle::none");

  using Element = T;
  using Tile = detail::RowTile<T, TileShape{.cols = Cols, .rows = Rows}, layout>;

  static constexpr long long count = static_cast<long long>(Rows) * Cols;
  static constexpr int tile_bytes = Tile::tile_bytes;
  static constexpr int max_run_count = Rows;
  static constexpr int max_run_bytes = Tile::row_bytes;
  static constexpr int run_alignment = Tile::alignment;
  static constexpr PatternTraits traits{.is_indexed = true, .tile_alignment = Tile::tile_alignment};

  const Index* offsets = nullptr;  ///< `table_rows` + 1 elements, in global or shared memory
  long long table_rows = Rows;
  const Index* indices = nullptr;
  int rows = Rows;
  int col = 0;

  /// Rows of the next tile where `left` rows are left: `Rows`, or as many as there are.
  ///
  /// @pre 0 <= left
  template <class Integer>
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int rows_up_to(Integer left) noexcept {
    return detail::at_most(Rows, left);
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_full() const noexcept {
    return offsets == nullptr && indices == nullptr && rows == Rows;
  }
  /// Of the tile with room for every row.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int size() const noexcept { return rows * Cols; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int run_count() const noexcept { return rows; }

  [[nodiscard]] DMA_HOST_DEVICE constexpr Run run_at(int r) const {
    const int shared = Tile::shared_at(r, 0);
    const long long row = row_of(r);
    if (offsets == nullptr) {
      return {row * Tile::closest_pitch_bytes, shared, max_run_bytes};
    }
    const long long first = static_cast<long long>(offsets[row]) + col;
    return {first * Tile::element_bytes, shared,
            elements_up_to(static_cast<long long>(offsets[row + 1]) - first) * Tile::element_bytes};
  }

  /// Elements of row r in the tile.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int length(int r) const { return run_at(r).bytes / Tile::element_bytes; }

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_valid() const noexcept {
    return rows >= 0 && rows <= Rows && col >= 0 && (offsets != nullptr || col == 0) &&
           static_cast<long long>(col) * Tile::element_bytes % run_alignment == 0;
  }

  [[nodiscard]] DMA_HOST_DEVICE static constexpr int index(int row, int col) noexcept { return Tile::index(row, col); }

 private:
  [[nodiscard]] DMA_HOST_DEVICE constexpr long long row_of(int r) const {
    const long long row = indices == nullptr ? r : static_cast<long long>(indices[r]);
    machine::expect_row(row, r, table_rows);
    return row;
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int elements_up_to(long long elements) noexcept {
    return elements <= 0 ? 0 : elements < Cols ? static_cast<int>(elements) : Cols;
  }
};

}  // namespace dma::inline v0_1
