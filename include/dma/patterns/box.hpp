#pragma once

#include <dma/config.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/row_layout.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1 {

namespace detail {

/// The positions of a box along one axis that are inside the array: `first` to `last` - 1, counted from the box's
/// start.
struct Inside {
  int first;
  int last;

  [[nodiscard]] DMA_HOST_DEVICE constexpr int count() const noexcept { return last > first ? last - first : 0; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool has(int place) const noexcept { return place >= first && place < last; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr bool is_all_of(int length) const noexcept {
    return first == 0 && last == length;
  }
};

/// Clips a box of `length` elements that begins at `position` of an axis of `array_length`; it may be far outside.
[[nodiscard]] DMA_HOST_DEVICE constexpr Inside clip(int length, int position, int array_length) noexcept {
  const auto clamp = [length](long long place) {
    return static_cast<int>(place < 0 ? 0 : place > length ? length : place);
  };
  return {clamp(-static_cast<long long>(position)), clamp(static_cast<long long>(array_length) - position)};
}

}  // namespace detail

/// A box out of an array of `Rank` axes, innermost first, as a tensor map describes it, and the box's position.
template <int Rank>
struct Box {
  static constexpr int rank = Rank;

  int extents[Rank];              ///< of the box, in elements
  long long array_extents[Rank];  ///< of the array, in elements
  long long pitch_bytes[Rank];    ///< from one place of an axis to the next; of the innermost, an element's size
  int position[Rank];             ///< of the box's first element in the array, maybe outside
  Swizzle swizzle = Swizzle::none;
  bool is_dense = true;        ///< whether the tile holds the box without room between its rows and planes
  long long origin_bytes = 0;  ///< from the address that a map is made of to the array's element 0; only addresses
};

/// A tile that is one box out of an array, so that a tensor map can move it.
template <class Pattern>
concept BoxPattern = TransferPattern<Pattern> && requires(const Pattern pattern) {
  decltype(pattern.box())::rank;
};

namespace detail {

/// Where one box of a list is.
struct BoxPlace {
  int at;    ///< its position on the array's outermost axis
  int rows;  ///< that arrive, before the rows that are filled
};

/// A tile that is several boxes out of one array, all of one shape: `box()` has that shape and the array. Box i is at
/// `place_of_box(i)`, which may read memory, and `rows_of_box(i)` of its `box_rows` arrive; it is the tile
/// `box_at(place)`, which begins `box_shared_bytes(i)` into this one. A box without rows has no place.
template <class Pattern>
concept BoxListPattern = BoxPattern<Pattern> && requires(const Pattern pattern, int i) {
  { Pattern::boxes } -> stdlib::convertible_to<int>;
  { Pattern::box_rows } -> stdlib::convertible_to<int>;
  { pattern.place_of_box(i) } -> stdlib::same_as<BoxPlace>;
  { pattern.rows_of_box(i) } -> stdlib::same_as<int>;
  requires BoxPattern<decltype(pattern.box_at(BoxPlace{}))>;
  { Pattern::box_shared_bytes(i) } -> stdlib::same_as<int>;
};

/// A tile of rows of one array, each named by a number: `box()` is one of them in the first plane, and row i of the
/// tile is the array's row `table_row(i)`, which reads memory. From row `listed_rows()` on, and for a number that is no
/// row, it is outside the array. The columns of the planes follow one another.
template <class Pattern>
concept RowListPattern = BoxPattern<Pattern> && requires(const Pattern pattern, int i) {
  { pattern.listed_rows() } -> stdlib::same_as<int>;
  { pattern.table_row(i) } -> stdlib::same_as<int>;
  { Pattern::Tile::rows } -> stdlib::convertible_to<int>;
};

/// Bytes of the whole box, clipped or not.
template <BoxPattern Pattern>
[[nodiscard]] DMA_HOST_DEVICE constexpr int box_bytes(const Pattern& pattern) noexcept {
  int bytes = static_cast<int>(sizeof(typename Pattern::Element));
  for (const int extent : pattern.box().extents) {
    bytes *= extent;
  }
  return bytes;
}

/// Whether a tensor map can describe the full tile's box with its layout in shared memory.
///
/// Source  PTX ISA, tensors and tensor maps; CUDA driver API, cuTensorMapEncodeTiled
template <BoxPattern Pattern>
consteval bool has_hardware_box() {
  constexpr auto box = Pattern{}.box();
  constexpr int most_axes = 5;
  constexpr int size = static_cast<int>(sizeof(typename Pattern::Element));
  constexpr int most_extent = 256;
  for (const int extent : box.extents) {
    if (extent > most_extent) {
      return false;
    }
  }
  const int row_bytes = box.extents[0] * size;
  const bool has_type = size == 1 || size == 2 || size == 4 || size == 8;
  const bool fits_swizzle = box.swizzle == Swizzle::none || row_bytes == swizzle_bytes(box.swizzle);
  return decltype(box)::rank <= most_axes && has_type && box.is_dense && row_bytes % 16 == 0 && fits_swizzle;
}

/// The same for every part of a pattern, each of which is a box by itself.
template <class Pattern>
inline constexpr bool has_hardware_boxes = false;
template <BoxPattern Pattern>
inline constexpr bool has_hardware_boxes<Pattern> = has_hardware_box<Pattern>();
template <CompositePattern Pattern>
inline constexpr bool has_hardware_boxes<Pattern> = []<int... Parts>(stdlib::integer_sequence<int, Parts...>) {
  return (has_hardware_boxes<PartOf<Pattern, Parts>> && ...);
}
(stdlib::make_integer_sequence<int, Pattern::part_count>{});

}  // namespace detail

}  // namespace dma::inline v0_1
