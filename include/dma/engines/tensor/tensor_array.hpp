#pragma once

#include <dma/engines/tensor/described_array.hpp>
#include <dma/engines/tensor/tensor_map.hpp>
#include <dma/patterns/box.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1 {

/// What a tensor map says beside its array and its boxes.
///
/// Source  CUDA driver API, CUtensorMapL2promotion and CUtensorMapFloatOOBfill
struct TensorMapOptions {
  int l2_bytes = 128;  ///< that the L2 fetches at a time: 64, 128 or 256; 0: its own choice. Of a GPU's map
  OutsideArray outside = OutsideArray::zero;  ///< what elements outside the array arrive as
};

/// The array at `data` for a part of a composition: its extents and pitches are those of `part`, whose position does
/// not matter.
///
///     dma::tensor_map<dma::Concat<TileOfA, TileOfB>>(dma::TensorArray{a, TileOfA{...}},
///                                                    dma::TensorArray{b, TileOfB{...}})
template <TransferPattern Part>
struct TensorArray {
  const typename Part::Element* data;
  Part part;
  TensorMapOptions options = {};
};
template <TransferPattern Part>
TensorArray(const typename Part::Element*, Part, TensorMapOptions = {}) -> TensorArray<Part>;

namespace detail {

/// Whether the arrays are those of the pattern's parts, in order; an error names the rule that they break.
template <class Pattern, class... Parts>
[[nodiscard]] consteval bool are_arrays_of_parts() {
  if constexpr (sizeof...(Parts) != part_count_of<Pattern>) {
    static_assert(always_false<Pattern>,
                  "dma::tensor_map: there are more or fewer arrays than parts in the pattern, and each part has one; "
                  "pass a dma::TensorArray{array, part} for each part of the dma::Concat");
    return false;
  } else {
    constexpr bool are_in_order = []<int... Indices>(stdlib::integer_sequence<int, Indices...>) {
      return (stdlib::is_same_v<Parts, PartOf<Pattern, Indices>> && ...);
    }
    (stdlib::make_integer_sequence<int, part_count_of<Pattern>>{});
    static_assert(
        are_in_order,
        "dma::tensor_map: the box of an array is not of the type of the pattern's part in its place; pass the "
        "dma::TensorArray{array, part} in the order of the parts of the dma::Concat, each with a value of that part");
    return are_in_order;
  }
}

// What a tensor map cannot describe, told in the same words by a GPU's `tensor_map` and by a host's.

/// States at compile time what a tensor map can describe.
template <class Pattern>
constexpr void expect_boxes() {
  static_assert(
      has_hardware_boxes<Pattern>,
      "dma::tensor_map: a tensor map cannot describe this pattern, which has to be a dma::BoxPattern of elements of 1, "
      "2, 4 or 8 bytes, rows dense and multiples of 16 bytes (or as long as the swizzle), at most 5 axes, extents up "
      "to 256; change its shape, or use dma::BulkCopy<>");
}

/// Why there is no map of an array of these elements; null where there is one. The hardware's NaN are those of numbers
/// of 2, 4 and 8 bytes: a map of single bytes would have elements of two, and a copy by it would never complete.
template <class Element>
[[nodiscard]] constexpr const char* refusal_of_map(const void* array, OutsideArray outside) {
  if (array == nullptr) {
    return "dma::tensor_map: the array's address is null; pass that of the array's first element";
  }
  if (outside == OutsideArray::nan && (stdlib::is_integral_v<Element> || sizeof(Element) == 1)) {
    return "dma::tensor_map: integers and elements of one byte have no NaN for what is outside the array; use "
           "OutsideArray::zero";
  }
  return nullptr;
}

/// The axis of a box's array that has no element, or more than a box's position counts, which is an int; -1 where there
/// is none.
template <int Rank>
[[nodiscard]] constexpr int axis_without_map(const Box<Rank>& box) {
  for (int axis = 0; axis < Rank; ++axis) {
    if (box.array_extents[axis] < 1 || box.array_extents[axis] > (1LL << 31)) {
      return axis;
    }
  }
  return -1;
}
/// What is said of such an axis.
inline constexpr const char* refused_axis =
    "dma::tensor_map: an axis of the array is empty, or too long for the positions of boxes, which are ints; give it 1 "
    "to 2^31 elements";

}  // namespace detail

}  // namespace dma::inline v0_1
