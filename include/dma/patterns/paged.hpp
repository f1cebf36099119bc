#pragma once

#include <dma/config.hpp>
#include <dma/machine/machine.hpp>
#include <dma/patterns/box.hpp>
#include <dma/patterns/row_layout.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1 {

/// The tile of a `Paged`, and the rows of one of its boxes, which is in one page.
///
/// @pre `box_rows` divides `rows` and the rows of a page; it has no default. With 1 rows move each by itself.
struct PagedShape {
  int cols;
  int rows;
  int box_rows;
  int planes = 1;
};

/// Pages of equal shape in memory, as a cache of keys or values has them: [page][row][head][column], or heads and rows
/// in the other order.
struct PageArray {
  int pages;  ///< in memory
  int rows;   ///< of a page
  long long page_pitch_bytes;
  long long head_pitch_bytes;
  long long row_pitch_bytes;

  [[nodiscard]] DMA_HOST_DEVICE constexpr long long offset(int page, int head, int row) const noexcept {
    return page * page_pitch_bytes + head * head_pitch_bytes + row * row_pitch_bytes;
  }
};

namespace detail {

/// One box of a `Paged`: rows of one page, of which the first `rows` arrive and zeros follow.
///
/// A tensor map fills what is outside its array, and rows behind a sequence's last are inside their page. So the map's
/// array has as many rows as the box, and one more axis, in steps of 16 bytes, moves it through all memory: the box
/// begins so many rows before its array's end as arrive.
template <class T, TileShape Shape, RowLayout Layout>
struct PageBox {
  using Element = T;
  using Tile = RowTile<T, Shape, Layout>;

  static constexpr int count = Tile::planes * Tile::rows * Tile::cols;
  static constexpr int tile_bytes = Tile::tile_bytes;
  static constexpr int max_run_count = Tile::max_run_count;
  static constexpr int max_run_bytes = Tile::max_run_bytes;
  static constexpr int run_alignment = Tile::alignment;
  static constexpr PatternTraits traits{.runs_are_uniform = true, .tile_alignment = Tile::tile_alignment};

  PageArray array{1, Tile::rows, 0, 0, round_up(Tile::planes* Tile::row_bytes, run_alignment)};
  BoxPlace place{step_of(array, 0, 0, Tile::rows, 0), Tile::rows};  ///< at the row behind the last that arrives

  static constexpr int step = 16;  ///< bytes from one place to the next; place 0 is page 0's row 0
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int step_of(const PageArray& array, int page, int head, int row,
                                                             int byte) noexcept {
    const auto places = [](long long bytes) { return static_cast<int>(bytes >> 4); };
    return page * places(array.page_pitch_bytes) + head * places(array.head_pitch_bytes) +
           row * places(array.row_pitch_bytes) + places(byte);
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_full() const noexcept { return place.rows == Tile::rows; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int size() const noexcept { return count; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int run_count() const noexcept {
    return Tile::run_count(Tile::planes * place.rows, Tile::row_bytes);
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr Run run_at(int i) const noexcept {
    const RowPiece piece = Tile::piece(i, 0, Tile::row_bytes);
    const int p = piece.row / place.rows;
    const int r = piece.row % place.rows;
    return {place.at * static_cast<long long>(step) + (r - place.rows) * array.row_pitch_bytes + p * Tile::row_bytes +
                piece.first,
            Tile::shared_at(r, piece.first, p), piece.bytes};
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_padding(int i) const noexcept {
    return i / Tile::cols % Tile::rows >= place.rows;
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int place_of(int i) noexcept {
    return Tile::index(i / Tile::cols % Tile::rows, i % Tile::cols, i / (Tile::rows * Tile::cols));
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr T fill_value() const noexcept { return {}; }

  /// Columns, rows up to the last that arrives, planes, steps of 16 bytes from a box's rows before page 0 on.
  [[nodiscard]] DMA_HOST_DEVICE constexpr Box<4> box() const noexcept {
    return {{Tile::cols, Tile::rows, Tile::planes, 1},
            {Tile::cols, Tile::rows, Tile::planes,
             (array.pages * array.page_pitch_bytes + Tile::rows * array.row_pitch_bytes) / step + 1},
            {Tile::element_bytes, array.row_pitch_bytes, Tile::row_bytes, step},
            {0, Tile::rows - place.rows, 0, place.at},
            Tile::swizzle,
            Tile::is_dense && tile_bytes % Tile::tile_alignment == 0 && run_alignment == step,
            -Tile::rows * array.row_pitch_bytes};
  }
};

}  // namespace detail

/// Rows of a sequence that is in pages anywhere in memory, with a list of them: keys or values of attention.
///
/// Global  row r of the sequence is row `r % array.rows` of page `pages[r / array.rows]`, of head `head`; the address
///         is that of page 0
/// Shared  `T[planes][rows][cols]` of `Shape`: element (p, r, c) is column `col + p * cols + c` of row `row + r`, at
///         index `index(p, r, c)`. Rows behind the sequence's last are zeros, whatever their page holds
/// Cost    by `TensorCopy` an instruction for each `box_rows` rows of a plane, or one for all planes if a box has all
///         rows; each lane reads the page of one box before the wait for the slot. With `box_rows` 1 and a multiple of
///         four rows, one for four rows of a plane on sm_100 and newer, wherever their pages are, which no GPU has
///         run. Warps of a DMA group take turns at tiles: two hide what looking up and issuing many boxes takes. Other
///         engines: `planes * rows` runs, and a store for each element outside
///
/// `pages` may be in global or shared memory; null is pages 0, 1, 2, ... It is read up to the page of the sequence's
/// last row only.
///
/// @pre `array.rows` and `row` are multiples of `box_rows`. The address, the bytes before column `col` and the pitches
///      are multiples of `run_alignment`.
/// @pre Pages of the list are 0 to `array.pages` - 1. The checked build reports the first that is not.
/// @pre By `TensorCopy`, a box is a multiple of `tile_alignment`: 8 rows of the swizzle's bytes. Heads and rows are
///      within pages, and all pages within 32 GB; `tensor_map` throws for others.
/// @pre By `TensorCopy` with `box_rows` 1, a row is what one of an `Indirect` is; instead, the pitches are multiples of
///      the shortest of them, which has room for the columns, and none is longer than a page's.
template <class T, PagedShape Shape, detail::RowsOrIndexedRows auto Layout = RowLayout{}>
struct Paged {
  using Index = detail::IndexOfRows<Layout>;
  static_assert(stdlib::is_integral_v<Index> && (sizeof(Index) == 4 || sizeof(Index) == 8),
                "dma::Paged: Index must be an integer of 32 or 64 bits; widen the list of pages");
  static_assert(Shape.box_rows > 0 && Shape.rows % (Shape.box_rows > 0 ? Shape.box_rows : 1) == 0,
                "dma::Paged: the tile's rows are no multiple of those of a box, which never crosses a page; make "
                "box_rows a divisor of rows and of a page's rows");

  using Element = T;
  static constexpr RowLayout layout = detail::layout_of_rows<Layout>;
  using Tile = detail::RowTile<T, TileShape{.cols = Shape.cols, .rows = Shape.rows, .planes = Shape.planes}, layout>;
  static constexpr int box_rows = Shape.box_rows;
  /// Whether a tensor map moves its rows by fours (`RowListPattern`), and no boxes.
  static constexpr bool moves_by_rows =
      box_rows == 1 && Tile::rows % 4 == 0 && Tile::row_bytes % 32 == 0 && Tile::is_dense;
  static constexpr int box_planes = box_rows == Tile::rows ? Tile::planes : 1;
  using OneBox = detail::PageBox<T, TileShape{.cols = Shape.cols, .rows = box_rows, .planes = box_planes}, layout>;

  static constexpr long long count = static_cast<long long>(Tile::planes) * Tile::rows * Tile::cols;
  static constexpr int tile_bytes = Tile::tile_bytes;
  static constexpr int max_run_count = Tile::max_run_count;
  static constexpr int max_run_bytes = Tile::max_run_bytes;
  static constexpr int run_alignment = Tile::alignment;
  static constexpr PatternTraits traits{
      .runs_are_uniform = true, .is_indexed = true, .tile_alignment = Tile::tile_alignment};

  PageArray array{Tile::rows / box_rows, box_rows, box_rows* planes_pitch_bytes(), 0, planes_pitch_bytes()};
  const Index* pages = nullptr;
  int rows = Tile::rows;  ///< of the sequence
  int row = 0;
  int head = 0;
  int col = 0;

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_full() const noexcept { return rows_inside() == Tile::rows; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int size() const noexcept { return static_cast<int>(count); }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int run_count() const noexcept {
    return Tile::run_count(Tile::planes * rows_inside(), Tile::row_bytes);
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr Run run_at(int i) const {
    const detail::RowPiece piece = Tile::piece(i, 0, Tile::row_bytes);
    const int p = piece.row / rows_inside();
    const int r = piece.row % rows_inside();
    const int position = position_of(row + r);
    return {array.offset(page_at(position), head, row + r - position * array.rows) +
                (col + p * Tile::cols) * Tile::element_bytes + piece.first,
            Tile::shared_at(r, piece.first, p), piece.bytes};
  }

  /// Whether row r of the tile is behind the sequence's last and has zeros.
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_padding(int, int r, int) const noexcept { return r >= rows_inside(); }
  /// The same for element i, counted plane by plane and row by row.
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_padding(int i) const noexcept {
    return i / Tile::cols % Tile::rows >= rows_inside();
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int place_of(int i) noexcept {
    return index(i / (Tile::rows * Tile::cols), i / Tile::cols % Tile::rows, i % Tile::cols);
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr T fill_value() const noexcept { return {}; }

  /// Boxes of the tile, plane by plane.
  static constexpr int boxes = Tile::planes / box_planes * (Tile::rows / box_rows);
  [[nodiscard]] DMA_HOST_DEVICE constexpr int rows_of_box(int i) const noexcept {
    const int left = rows - first_row(i);
    return left < 0 ? 0 : left < box_rows ? left : box_rows;
  }
  /// Without a branch, since lanes differ here: a box behind the sequence's last row is at page 0.
  [[nodiscard]] DMA_HOST_DEVICE constexpr detail::BoxPlace place_of_box(int i) const requires(!moves_by_rows) {
    const int taken = rows_of_box(i);
    const int first = taken == 0 ? 0 : first_row(i);
    const int position = position_of(first);
    const int page = taken == 0 ? 0 : page_at(position);
    const int column = col + i / (Tile::rows / box_rows) * Tile::cols;
    return {OneBox::step_of(array, page, head, first - position * array.rows + taken, column * Tile::element_bytes),
            taken};
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr OneBox box_at(const detail::BoxPlace& place) const noexcept {
    return {array, place};
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int box_shared_bytes(int i) noexcept {
    return i / (Tile::rows / box_rows) * Tile::plane_pitch_bytes +
           i % (Tile::rows / box_rows) * box_rows * Tile::pitch_bytes;
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int listed_rows() const noexcept { return rows_inside(); }
  /// The row of all pages that row i of the tile is, as a tensor map counts them; one outside behind the last.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int table_row(int i) const requires moves_by_rows {
    if (i >= rows_inside()) {
      return rows_apart(array.page_pitch_bytes) * array.pages;
    }
    const int position = position_of(row + i);
    return page_at(position) * rows_apart(array.page_pitch_bytes) + head * rows_apart(array.head_pitch_bytes) +
           (row + i - position * array.rows) * rows_apart(array.row_pitch_bytes);
  }
  /// The array of all boxes, or of all rows, for a tensor map.
  [[nodiscard]] DMA_HOST_DEVICE constexpr auto box() const {
    if constexpr (moves_by_rows) {
      const long long pitch = map_pitch_bytes();
      DMA_EXPECTS(
          pitch > 0 && array.page_pitch_bytes % pitch == 0 && array.head_pitch_bytes % pitch == 0 &&
              array.row_pitch_bytes % pitch == 0 && array.head_pitch_bytes <= array.page_pitch_bytes &&
              (col + Tile::planes * Tile::cols) * static_cast<long long>(Tile::element_bytes) <= pitch,
          "dma::Paged: a tensor map of single rows counts them, so the pitches have to be multiples of the "
          "shortest, which has room for the columns, and none may be longer than a page's; change them, or name "
          "more box_rows",
          "shortest pitch", pitch, "page pitch", array.page_pitch_bytes);
      return Box<2>{{Tile::cols, 1},
                    {pitch / Tile::element_bytes, array.pages * (array.page_pitch_bytes / pitch)},
                    {Tile::element_bytes, pitch},
                    {col, 0},
                    Tile::swizzle,
                    run_alignment % 16 == 0};
    } else {
      DMA_EXPECTS(array.pages <= 1 || (array.head_pitch_bytes <= array.page_pitch_bytes &&
                                       array.row_pitch_bytes <= array.page_pitch_bytes),
                  "dma::Paged: a tensor map ends with the last page, so heads and rows have to be within pages; store "
                  "page by page, or describe each head's pages as an array",
                  "page pitch", array.page_pitch_bytes, "head pitch", array.head_pitch_bytes, "row pitch",
                  array.row_pitch_bytes);
      const OneBox one{array};
      return one.box();
    }
  }

  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_valid() const noexcept {
    return array.rows > 0 && array.rows % box_rows == 0 && row >= 0 && row % box_rows == 0 && rows >= 0 && col >= 0 &&
           head >= 0 && array.row_pitch_bytes % run_alignment == 0 && array.head_pitch_bytes % run_alignment == 0 &&
           array.page_pitch_bytes % run_alignment == 0 &&
           col * static_cast<long long>(Tile::element_bytes) % run_alignment == 0;
  }

  [[nodiscard]] DMA_HOST_DEVICE static constexpr int index(int p, int r, int c) noexcept {
    return Tile::index(r, c, p);
  }

 private:
  [[nodiscard]] DMA_HOST_DEVICE static constexpr long long planes_pitch_bytes() noexcept {
    return detail::round_up(Tile::planes * Tile::row_bytes, run_alignment);
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int rows_inside() const noexcept {
    const int left = rows - row;
    return left < 0 ? 0 : left < Tile::rows ? left : Tile::rows;
  }
  /// The distance of the rows of a map of single rows: the shortest of pages, heads and rows.
  [[nodiscard]] DMA_HOST_DEVICE constexpr long long map_pitch_bytes() const noexcept {
    const auto shorter = [](long long pitch, long long other) { return other > 0 && other < pitch ? other : pitch; };
    return shorter(shorter(array.page_pitch_bytes, array.head_pitch_bytes), array.row_pitch_bytes);
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int rows_apart(long long pitch_bytes) const noexcept {
    return static_cast<int>(static_cast<unsigned>(pitch_bytes >> 4) / static_cast<unsigned>(map_pitch_bytes() >> 4));
  }
  /// The first row of box i.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int first_row(int i) const noexcept {
    return row + i % (Tile::rows / box_rows) * box_rows;
  }
  /// Where in the list the page of a row of the sequence is. A branch that all threads take costs less than a division.
  [[nodiscard]] DMA_HOST_DEVICE constexpr int position_of(int at) const noexcept {
    return array.rows == box_rows ? at / box_rows
                                  : static_cast<int>(static_cast<unsigned>(at) / static_cast<unsigned>(array.rows));
  }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int page_at(int position) const {
    const long long page = pages == nullptr ? position : static_cast<long long>(pages[position]);
    DMA_EXPECTS(page >= 0 && page < array.pages,
                "dma::Paged: the list names a page that is not there; correct the list, or the number of pages", "page",
                page, "position", position, "pages", array.pages);
    return static_cast<int>(page);
  }
};

}  // namespace dma::inline v0_1
