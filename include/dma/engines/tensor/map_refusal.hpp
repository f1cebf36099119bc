#pragma once

#include <dma/engines/tensor/tensor_map.hpp>
#include <dma/patterns/box.hpp>
#include <dma/standard.hpp>

/// What a tensor map cannot describe, told in the same words by a GPU's `tensor_map` and by a host's.
namespace dma {

/// States at compile time what a tensor map can describe.
template <class Pattern>
constexpr void expect_boxes() {
  static_assert(
      has_hardware_boxes<Pattern>,
      "dma::tensor_map: a tensor map cannot describe this pattern, which has to be a dma::BoxPattern of elements of 1, "
      "2, 4 or 8 bytes, rows dense and multiples of 16 bytes (or as long as the swizzle), extents up to 256; change "
      "its "
      "shape, or use dma::BulkCopy<>");
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

}  // namespace dma
