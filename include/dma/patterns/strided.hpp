#pragma once

#include <dma/config.hpp>
#include <dma/patterns/row_layout.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/patterns/view.hpp>

namespace dma::inline v0_1 {

/// A block of a row-major matrix.
///
/// Global  `rows` rows of `cols` elements; row r starts `r * pitch_bytes` after the first
/// Shared  `T[Rows][Cols]`, rows `Layout.pitch_bytes` apart; element (r, c) at index `index(r, c)`
/// Cost    `Rows` runs of `Cols * sizeof(T)` bytes in accesses of `run_alignment` bytes, the tail of each in narrower
///         ones; swizzled, a run for each 16 bytes. A tile with fewer rows or columns moves in a loop
/// Source  cudaDMAStrided (SC'11, section 3.2), without its per-thread byte budget, which the engine now chooses
///
/// `Strided{pitch}` is the full tile, `Strided{pitch, rows, cols}` its upper left corner. A column-major matrix is a
/// row-major one with the axes' names exchanged.
///
/// @pre The global address and `pitch_bytes` are multiples of `run_alignment`; a negative pitch takes rows upwards.
/// @pre 0 <= rows <= Rows and 0 <= cols <= Cols; swizzled, `cols * sizeof(T)` is a multiple of 16.
template <class T, int Cols, int Rows, RowLayout Layout = RowLayout{}>
struct Strided {
  using Element = T;
  using Tile = detail::RowTile<T, TileShape{.cols = Cols, .rows = Rows}, Layout>;

  static constexpr long long count = static_cast<long long>(Rows) * Cols;
  static constexpr int tile_bytes = Tile::tile_bytes;
  static constexpr int max_run_count = Tile::max_run_count;
  static constexpr int max_run_bytes = Tile::max_run_bytes;
  static constexpr int run_alignment = Tile::alignment;
  static constexpr PatternTraits traits{.runs_are_uniform = true, .tile_alignment = Tile::tile_alignment};
  static constexpr int shared_pitch_bytes = Tile::pitch_bytes;

  long long pitch_bytes = Tile::closest_pitch_bytes;
  int rows = Rows;
  int cols = Cols;

  /// The rows of a view from `row` on, for example of a `cuda::std::mdspan`, as many as there are, and their pitch. The
  /// address to load from is that of element (`row`, 0).
  ///
  /// @pre The view's last stride is 1. 0 <= row <= extent(0)
  template <detail::StridedView View>
  [[nodiscard]] DMA_HOST_DEVICE static constexpr Strided at(const View& view, int row) {
    detail::expect_rows<2>(view);
    return {detail::pitch_bytes_of<T>(view, 0), rows_up_to(static_cast<long long>(view.extent(0)) - row),
            detail::at_most(Cols, static_cast<long long>(view.extent(1)))};
  }

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
  [[nodiscard]] DMA_HOST_DEVICE constexpr long long global_pitch_bytes() const noexcept requires(!Tile::is_swizzled) {
    return pitch_bytes;
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr Run run_at(int i) const noexcept {
    // Dense rows have a form of their own: from the general one the compiler makes more instructions and registers.
    if constexpr (!Tile::is_swizzled) {
      return {i * pitch_bytes, i * shared_pitch_bytes, cols * Tile::element_bytes};
    } else {
      const detail::RowPiece piece = Tile::piece(i, 0, cols * Tile::element_bytes);
      return {piece.row * pitch_bytes + piece.first, Tile::shared_at(piece.row, piece.first), piece.bytes};
    }
  }

  /// Whether this type can move the shape and pitch; the checked build asks before each tile.
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_valid() const noexcept {
    return rows >= 0 && rows <= Rows && cols >= 0 && cols <= Cols && (rows <= 1 || pitch_bytes % run_alignment == 0) &&
           (!Tile::is_swizzled || (cols * Tile::element_bytes) % run_alignment == 0);
  }

  [[nodiscard]] DMA_HOST_DEVICE static constexpr int index(int row, int col) noexcept { return Tile::index(row, col); }
};

/// The same with a pitch in shared memory that is known at run time, at most `Layout.max_pitch_bytes`.
///
/// Shared  rows `shared_pitch_bytes` apart; element (r, c) at index `index(r, c)` of this value
/// Cost    as with a constant pitch, and registers for the addresses
/// Source  dst_stride of cudaDMAStrided in CudaDMA 2.0
///
/// `compute.wait` takes the same value as `dma.load`, also of a full tile. Its default is the largest pitch.
///
/// @pre As above. `shared_pitch_bytes` is a multiple of `run_alignment` and of the element, no row is longer, and the
/// rows end within `tile_bytes`: fewer rows may be further apart.
template <class T, int Cols, int Rows, RowLayout Layout>
  requires(Layout.max_pitch_bytes != 0)
struct Strided<T, Cols, Rows, Layout> {
  using Bound = detail::BoundedPitch<T, Cols, Rows, Layout>;
  using Element = T;
  using Tile = typename Bound::Tile;

  static constexpr long long count = static_cast<long long>(Rows) * Cols;
  static constexpr int tile_bytes = Tile::tile_bytes;
  static constexpr int max_run_count = Rows;
  static constexpr int max_run_bytes = Tile::row_bytes;
  static constexpr int run_alignment = Tile::alignment;
  static constexpr PatternTraits traits{.runs_are_uniform = true, .tile_alignment = Tile::tile_alignment};

  long long pitch_bytes = Tile::closest_pitch_bytes;
  int rows = Rows;
  int cols = Cols;
  int shared_pitch_bytes = Tile::pitch_bytes;

  /// The rows of a view from `row` on, for example of a `cuda::std::mdspan`, as many as there are, and their pitch. The
  /// address to load from is that of element (`row`, 0).
  ///
  /// @pre The view's last stride is 1. 0 <= row <= extent(0)
  template <detail::StridedView View>
  [[nodiscard]] DMA_HOST_DEVICE static constexpr Strided at(const View& view, int row) {
    detail::expect_rows<2>(view);
    return {detail::pitch_bytes_of<T>(view, 0), rows_up_to(static_cast<long long>(view.extent(0)) - row),
            detail::at_most(Cols, static_cast<long long>(view.extent(1)))};
  }

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
  [[nodiscard]] DMA_HOST_DEVICE constexpr long long global_pitch_bytes() const noexcept { return pitch_bytes; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr Run run_at(int i) const noexcept {
    return {i * pitch_bytes, i * shared_pitch_bytes, cols * Tile::element_bytes};
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_valid() const noexcept {
    return Bound::holds(rows, cols, shared_pitch_bytes) && (rows <= 1 || pitch_bytes % run_alignment == 0);
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr int index(int row, int col) const noexcept {
    return row * (shared_pitch_bytes / Tile::element_bytes) + col;
  }
};

}  // namespace dma::inline v0_1
