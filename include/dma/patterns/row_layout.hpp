#pragma once

#include <dma/config.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1 {

/// The elements of a box: of a `Tile3D`. The axes that are left out have one.
struct TileShape {
  int cols;
  int rows = 1;
  int planes = 1;
};

/// How the 16-byte chunks of a tile are permuted, so that a column of them is in different banks (no bank conflicts).
///
/// On the byte offset in the tile: `bytes_128` replaces bits 4-6 by their exclusive or with bits 7-9, `bytes_64` bits
/// 4-5 with 7-8, `bytes_32` bit 4 with 7. The hardware uses the same bits of the address, which gives the same result
/// for a tile that begins on its `tile_alignment`.
///
/// Source  PTX ISA, "Tensor swizzling modes" (.swizzle_mode 1 to 3)
enum class Swizzle { none, bytes_32, bytes_64, bytes_128 };

namespace detail {

/// Bytes among which a swizzle moves a chunk: 128, 64 or 32, and 0 without one.
[[nodiscard]] DMA_HOST_DEVICE constexpr int swizzle_bytes(Swizzle swizzle) noexcept {
  return swizzle == Swizzle::none ? 0 : 16 << static_cast<int>(swizzle);
}

/// The swizzled offset of a byte offset of a dense tile. A swizzle is its own inverse.
[[nodiscard]] DMA_HOST_DEVICE constexpr int swizzled(Swizzle swizzle, int offset) noexcept {
  return swizzle == Swizzle::none ? offset : offset ^ ((offset >> 3) & (swizzle_bytes(swizzle) - 16));
}

}  // namespace detail

/// Where a pattern's rows are in shared memory, and their alignment; 0 means the default.
struct RowLayout {
  int pitch_bytes = 0;  ///< from one row to the next in shared memory; default: dense, each row on the alignment
  /// Of every address and pitch, a power of two up to 16. Default: the widest that the length of a row allows, and that
  /// of an element in a `Csr`, whose rows end anywhere. A row may end between two multiples of it.
  int alignment = 0;
  Swizzle swizzle = Swizzle::none;  ///< of the tile's 16-byte chunks
  int plane_pitch_bytes = 0;        ///< from one plane to the next, of a tile that has planes; default: dense
  /// Of a `Strided` or an `Indirect` whose pitch in shared memory is known at run time: the largest, instead of
  /// `pitch_bytes`.
  int max_pitch_bytes = 0;
};

/// A `RowLayout` of rows that a list names, with the type of its indices: an integer of 32 or 64 bits. It is written
/// where a `RowLayout` is, which means indices of type int.
///
///     using Tile = dma::Indirect<float, 32, 8, dma::IndexedRows<long long>{}>;
template <class Index_ = int>
struct IndexedRows {
  using Index = Index_;
  RowLayout layout = {};
};

namespace detail {

/// What a template argument says of rows that a list names.
[[nodiscard]] consteval IndexedRows<> indexed_rows(RowLayout layout) noexcept { return {layout}; }
template <class Index>
[[nodiscard]] consteval IndexedRows<Index> indexed_rows(IndexedRows<Index> rows) noexcept {
  return rows;
}

/// A `RowLayout`, or an `IndexedRows`.
template <class Rows>
concept RowsOrIndexedRows = requires(Rows rows) {
  detail::indexed_rows(rows);
};

/// The layout of such a template argument.
template <auto Rows>
inline constexpr RowLayout layout_of_rows = indexed_rows(Rows).layout;
/// The type of its indices.
template <auto Rows>
using IndexOfRows = typename decltype(indexed_rows(Rows))::Index;

/// A stretch of one row that moves as one.
struct RowPiece {
  int row;
  int first;  ///< bytes from the row's start
  int bytes;
};

/// The constants that all patterns made of rows share.
///
/// Shared  `T[planes][rows][cols]`, rows `pitch_bytes` apart, planes `plane_pitch_bytes`, swizzled as the layout says;
///         element (r, c) at index `index(r, c)`
///
/// A row moves as one run, or, swizzled, as one run for each of its 16-byte chunks.
template <class T, TileShape Shape, RowLayout Layout>
struct RowTile {
  static_assert(Shape.cols > 0 && Shape.rows > 0 && Shape.planes > 0,
                "dma: a pattern has at least one plane, one row and one column; write a shorter or empty tile as a "
                "value of the pattern");
  static_assert(
      stdlib::is_trivially_copyable_v<T>,
      "dma: rows are moved as bytes, so the element of a pattern must be trivially copyable; move its parts, or an "
      "element without constructors and destructor of its own");

  static constexpr int element_bytes = static_cast<int>(sizeof(T));
  static constexpr int cols = Shape.cols;
  static constexpr int rows = Shape.rows;
  static constexpr int planes = Shape.planes;
  static constexpr int row_bytes = cols * element_bytes;
  static constexpr int pitch_bytes = Layout.pitch_bytes != 0                    ? Layout.pitch_bytes
                                     : Layout.alignment > 0 && rows* planes > 1 ? round_up(row_bytes, Layout.alignment)
                                                                                : row_bytes;
  static constexpr int plane_bytes = (rows - 1) * pitch_bytes + row_bytes;
  static constexpr int plane_pitch_bytes =
      Layout.plane_pitch_bytes == 0 ? rows * pitch_bytes : Layout.plane_pitch_bytes;
  static constexpr int alignment =
      Layout.alignment == 0 ? natural_alignment(row_bytes | pitch_bytes | plane_pitch_bytes) : Layout.alignment;

  /// The closest pitch of rows in global memory.
  static constexpr int closest_pitch_bytes = round_up(row_bytes, alignment);

  /// Whether there are no gaps between rows and planes.
  static constexpr bool is_dense = pitch_bytes == row_bytes && plane_pitch_bytes == rows * row_bytes;
  static constexpr Swizzle swizzle = Layout.swizzle;
  static constexpr bool is_swizzled = swizzle != Swizzle::none;
  static constexpr int chunk_bytes = 16;

  /// The multiple that the tile's address must be: a swizzle repeats after eight times its bytes.
  static constexpr int tile_alignment = is_swizzled ? 8 * swizzle_bytes(swizzle) : default_tile_alignment;
  static constexpr int dense_bytes = (planes - 1) * plane_pitch_bytes + plane_bytes;
  /// A swizzle may move the last chunks to anywhere within its bytes.
  static constexpr int tile_bytes =
      is_swizzled ? round_up(dense_bytes, is_swizzled ? swizzle_bytes(swizzle) : 1) : dense_bytes;

  static constexpr int max_run_bytes = is_swizzled ? chunk_bytes : row_bytes;
  static constexpr int max_run_count = planes * rows * (row_bytes / max_run_bytes);

  static_assert(Layout.max_pitch_bytes == 0,
                "dma::RowLayout: only a dma::Strided and a dma::Indirect have a pitch that is known at run time; name "
                "pitch_bytes instead of max_pitch_bytes");
  static_assert(pitch_bytes >= row_bytes,
                "dma::RowLayout: pitch_bytes is shorter than a row, so rows would overlap; use row bytes or more");
  static_assert(
      pitch_bytes % element_bytes == 0,
      "dma::RowLayout: pitch_bytes must be a multiple of sizeof(T), so that elements have an index; round it up");
  static_assert(pitch_bytes < row_bytes || plane_pitch_bytes >= plane_bytes,
                "dma::RowLayout: plane_pitch_bytes is shorter than a plane, so planes would overlap; use the bytes of "
                "its rows or more");
  static_assert(
      plane_pitch_bytes % element_bytes == 0,
      "dma::RowLayout: plane_pitch_bytes must be a multiple of sizeof(T), so that elements have an index; round it up");
  static_assert(
      alignment > 0 && (alignment & (alignment - 1)) == 0 && alignment <= 32,
      "dma::RowLayout: alignment must be 1, 2, 4, 8, 16 or 32 bytes; leave it out for the widest, up to 16, that the "
      "shape allows");
  static_assert(rows * planes == 1 || is_swizzled || pitch_bytes % alignment == 0,
                "dma::RowLayout: pitch_bytes must be a multiple of the alignment; name a smaller alignment");
  static_assert(planes == 1 || is_swizzled || plane_pitch_bytes % alignment == 0,
                "dma::RowLayout: plane_pitch_bytes must be a multiple of the alignment; name a smaller alignment");
  static_assert(!is_swizzled || chunk_bytes % element_bytes == 0,
                "dma::RowLayout: a swizzle moves chunks of 16 bytes, which these elements do not divide; use elements "
                "of 1, 2, 4, 8 or 16 bytes, or Swizzle::none");
  static_assert(!is_swizzled || chunk_bytes % element_bytes != 0 || row_bytes % chunk_bytes == 0,
                "dma::RowLayout: a swizzle moves chunks of 16 bytes, so rows must be multiples of 16 bytes; widen the "
                "row, or use Swizzle::none");
  static_assert(!is_swizzled || row_bytes % chunk_bytes != 0 ||
                    (pitch_bytes % chunk_bytes == 0 && plane_pitch_bytes % chunk_bytes == 0),
                "dma::RowLayout: a swizzle moves chunks of 16 bytes, so pitch_bytes and plane_pitch_bytes must be "
                "multiples of 16; round them up, or use Swizzle::none");
  static_assert(!is_swizzled || row_bytes % chunk_bytes != 0 || pitch_bytes % chunk_bytes != 0 ||
                    plane_pitch_bytes % chunk_bytes != 0 || alignment == chunk_bytes,
                "dma::RowLayout: a swizzle moves chunks of 16 bytes, so the alignment must be 16; leave it out, or use "
                "Swizzle::none");

  /// Bytes from the tile's start to byte `byte` of a row.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int shared_at(int row, int byte, int plane = 0) noexcept {
    const int dense = plane * plane_pitch_bytes + row * pitch_bytes + byte;
    return is_swizzled ? swizzled(swizzle, dense) : dense;
  }

  [[nodiscard]] DMA_HOST_DEVICE static constexpr int index(int row, int col, int plane = 0) noexcept {
    if constexpr (is_swizzled) {
      return shared_at(row, col * element_bytes, plane) / element_bytes;
    } else {
      return plane * (plane_pitch_bytes / element_bytes) + row * (pitch_bytes / element_bytes) + col;
    }
  }

  /// Runs in which `height` rows of `bytes` bytes each move.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int run_count(int height, int bytes) noexcept {
    return is_swizzled ? height * (bytes / chunk_bytes) : height;
  }

  /// The i-th run of rows of which each moves the bytes `first` to `last`.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr RowPiece piece(int i, int first, int last) noexcept {
    if constexpr (is_swizzled) {
      const int chunks = (last - first) / chunk_bytes;
      const int row = i / chunks;
      return {row, first + (i - row * chunks) * chunk_bytes, chunk_bytes};
    } else {
      return {i, first, last - first};
    }
  }
};

/// What patterns of rows share whose pitch in shared memory is known at run time: its bound.
template <class T, int Cols, int Rows, RowLayout Layout>
struct BoundedPitch {
  static constexpr bool holds_a_row = Layout.max_pitch_bytes >= Cols * int{sizeof(T)};
  static_assert(holds_a_row,
                "dma::RowLayout: max_pitch_bytes is shorter than a row, so rows would overlap; use row bytes or more");
  static_assert(Layout.pitch_bytes == 0,
                "dma::RowLayout: this layout has a constant pitch and one that is known at run time; name pitch_bytes "
                "or max_pitch_bytes");
  static_assert(Layout.swizzle == Swizzle::none,
                "dma::RowLayout: a swizzle needs a constant pitch; name pitch_bytes instead of max_pitch_bytes");

  /// With the rows as far apart as they can be.
  using Tile =
      RowTile<T, TileShape{.cols = Cols, .rows = Rows},
              RowLayout{.pitch_bytes = holds_a_row ? Layout.max_pitch_bytes : 0, .alignment = Layout.alignment}>;

  /// Whether so many rows and columns fit the type, and the rows at this pitch the tile. Fewer rows may be further
  /// apart.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool holds(int rows, int cols, int shared_pitch_bytes) noexcept {
    const int bytes = cols * Tile::element_bytes;
    return rows >= 0 && rows <= Rows && cols >= 0 && cols <= Cols && shared_pitch_bytes >= bytes &&
           shared_pitch_bytes % Tile::alignment == 0 && shared_pitch_bytes % Tile::element_bytes == 0 &&
           (rows <= 1 || shared_pitch_bytes <= (Tile::tile_bytes - bytes) / (rows - 1));
  }
};

}  // namespace detail

}  // namespace dma::inline v0_1
