#pragma once

#include <dma/config.hpp>
#include <dma/machine/machine.hpp>
#include <dma/patterns/box.hpp>
#include <dma/patterns/row_layout.hpp>
#include <dma/patterns/transfer_pattern.hpp>

namespace dma::inline v0_1 {

/// Rows of a table, each named by an index: a gather when loaded, a scatter when stored.
///
/// Global  the first `cols` elements of row `indices[r]` of a table, rows `pitch_bytes` apart; tables may exceed 2 GiB
/// Shared  `T[Rows][Cols]`, rows `Layout.pitch_bytes` apart; element (r, c) at index `index(r, c)`
/// Cost    `Rows` runs of `Cols * sizeof(T)` bytes; swizzled, one run for each 16 bytes. Each thread that moves part of
///         a row reads its index. Fewer columns move in the loop for partial tiles. By `TensorCopy` an instruction for
///         four rows on sm_100 and newer, before for each
/// Source  cudaDMAIndirect of CudaDMA 2.0
///
/// `indices` may point to global or to shared memory. Null means rows 0, 1, 2, ... `load` reads the list before it
/// waits for an empty slot. Where the compute warps write one list after another, call `wait_until_empty`, `copy` and
/// `signal_full` instead, which read it after that wait.
///
/// Where a scatter names a row twice, one of the two values remains; it is undefined which.
///
/// @pre The table's address and `pitch_bytes` are multiples of `run_alignment`; 0 <= rows <= Rows and
///      0 <= cols <= Cols; swizzled, `cols * sizeof(T)` is a multiple of 16.
/// @pre Indices are 0 to `table_rows` - 1. The checked build reports the first that is not, with its position and
///      value. A load by `TensorCopy` has zeros in the place of any other.
/// @pre By `TensorCopy`, `Rows` is a multiple of 4, and a row is dense, a multiple of 32 bytes, and of 128 before
/// sm_100.
template <class T, int Cols, int Rows, detail::RowsOrIndexedRows auto Layout = RowLayout{}>
struct Indirect {
  using Index = detail::IndexOfRows<Layout>;
  static_assert(stdlib::is_integral_v<Index> && (sizeof(Index) == 4 || sizeof(Index) == 8),
                "dma::Indirect: Index must be an integer of 32 or 64 bits; widen the list of indices");

  using Element = T;
  using Tile = detail::RowTile<T, TileShape{.cols = Cols, .rows = Rows}, detail::layout_of_rows<Layout>>;

  static constexpr long long count = static_cast<long long>(Rows) * Cols;
  static constexpr int tile_bytes = Tile::tile_bytes;
  static constexpr int max_run_count = Tile::max_run_count;
  static constexpr int max_run_bytes = Tile::max_run_bytes;
  static constexpr int run_alignment = Tile::alignment;
  static constexpr PatternTraits traits{
      .runs_are_uniform = true, .is_indexed = true, .tile_alignment = Tile::tile_alignment};

  const Index* indices = nullptr;
  long long table_rows = Rows;
  long long pitch_bytes = Tile::closest_pitch_bytes;
  int rows = Rows;
  int cols = Cols;

  /// Rows of the next tile where `left` rows are left: `Rows`, or as many as there are.
  ///
  /// @pre 0 <= left
  template <class Integer>
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int rows_up_to(Integer left) noexcept {
    return detail::at_most(Rows, left);
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_full() const noexcept { return rows == Rows && cols == Cols; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int size() const noexcept { return rows * cols; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int run_count() const noexcept {
    return Tile::run_count(rows, cols * Tile::element_bytes);
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr Run run_at(int i) const {
    const detail::RowPiece piece = Tile::piece(i, 0, cols * Tile::element_bytes);
    const long long named = indices == nullptr ? piece.row : static_cast<long long>(indices[piece.row]);
    machine::expect_row(named, piece.row, table_rows);
    return {named * pitch_bytes + piece.first, Tile::shared_at(piece.row, piece.first), piece.bytes};
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_valid() const noexcept {
    return rows >= 0 && rows <= Rows && cols >= 0 && cols <= Cols && pitch_bytes % run_alignment == 0 &&
           (!Tile::is_swizzled || (cols * Tile::element_bytes) % run_alignment == 0);
  }

  [[nodiscard]] DMA_HOST_DEVICE static constexpr int index(int row, int col) noexcept { return Tile::index(row, col); }

  /// The table, and one of its rows, for a tensor map. Rows move by fours, each four to a multiple of 128 bytes.
  [[nodiscard]] DMA_HOST_DEVICE constexpr Box<2> box() const noexcept {
    return {{Cols, 1},
            {cols, table_rows},
            {Tile::element_bytes, pitch_bytes},
            {0, 0},
            Tile::swizzle,
            Tile::is_dense && run_alignment % 16 == 0 && Rows % 4 == 0 && Tile::row_bytes % 32 == 0};
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int listed_rows() const noexcept { return rows; }
  /// The table's row that row i of the tile is, as a tensor map counts them; one outside the table from `rows` on.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int table_row(int i) const {
    if (i >= rows) {
      return static_cast<int>(table_rows);
    }
    const long long named = indices == nullptr ? i : static_cast<long long>(indices[i]);
    return sizeof(Index) > sizeof(int) && named != static_cast<int>(named) ? -1 : static_cast<int>(named);
  }
};

/// The same with a pitch in shared memory that is known at run time, at most `Layout.max_pitch_bytes`.
///
/// Shared  rows `shared_pitch_bytes` apart; element (r, c) at index `index(r, c)` of this value
///
/// `compute.wait` takes the same pitch as `dma.load`. Its default is the largest.
///
/// @pre As above. `shared_pitch_bytes` is a multiple of `run_alignment` and of the element, no row is longer, and the
/// rows end within `tile_bytes`: fewer rows may be further apart.
template <class T, int Cols, int Rows, detail::RowsOrIndexedRows auto Layout>
  requires(detail::layout_of_rows<Layout>.max_pitch_bytes != 0)
struct Indirect<T, Cols, Rows, Layout> {
  using Index = detail::IndexOfRows<Layout>;
  static_assert(stdlib::is_integral_v<Index> && (sizeof(Index) == 4 || sizeof(Index) == 8),
                "dma::Indirect: Index must be an integer of 32 or 64 bits; widen the list of indices");

  using Bound = detail::BoundedPitch<T, Cols, Rows, detail::layout_of_rows<Layout>>;
  using Element = T;
  using Tile = typename Bound::Tile;

  static constexpr long long count = static_cast<long long>(Rows) * Cols;
  static constexpr int tile_bytes = Tile::tile_bytes;
  static constexpr int max_run_count = Rows;
  static constexpr int max_run_bytes = Tile::row_bytes;
  static constexpr int run_alignment = Tile::alignment;
  static constexpr PatternTraits traits{
      .runs_are_uniform = true, .is_indexed = true, .tile_alignment = Tile::tile_alignment};

  const Index* indices = nullptr;
  long long table_rows = Rows;
  long long pitch_bytes = Tile::closest_pitch_bytes;
  int rows = Rows;
  int cols = Cols;
  int shared_pitch_bytes = Tile::pitch_bytes;

  /// Rows of the next tile where `left` rows are left: `Rows`, or as many as there are.
  ///
  /// @pre 0 <= left
  template <class Integer>
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int rows_up_to(Integer left) noexcept {
    return detail::at_most(Rows, left);
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_full() const noexcept { return rows == Rows && cols == Cols; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int size() const noexcept { return rows * cols; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int run_count() const noexcept { return rows; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr Run run_at(int i) const {
    const long long named = indices == nullptr ? i : static_cast<long long>(indices[i]);
    machine::expect_row(named, i, table_rows);
    return {named * pitch_bytes, i * shared_pitch_bytes, cols * Tile::element_bytes};
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_valid() const noexcept {
    return Bound::holds(rows, cols, shared_pitch_bytes) && pitch_bytes % run_alignment == 0;
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr int index(int row, int col) const noexcept {
    return row * (shared_pitch_bytes / Tile::element_bytes) + col;
  }
};

}  // namespace dma::inline v0_1
