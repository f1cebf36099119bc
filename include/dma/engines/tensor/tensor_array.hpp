#pragma once

#include <dma/engines/tensor/described_array.hpp>
#include <dma/engines/tensor/map_refusal.hpp>
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

}  // namespace detail

}  // namespace dma::v0_1
