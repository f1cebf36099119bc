#pragma once

#include <dma/engines/tensor/described_array.hpp>
#include <dma/engines/tensor/tensor_array.hpp>
#include <dma/engines/tensor/tensor_map.hpp>
#include <dma/machine/half_float.hpp>
#include <dma/patterns/box.hpp>
#include <dma/patterns/view.hpp>
#include <dma/proof/ptx/tensor_map.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace by_ptx {

namespace ptx = dma::proof::ptx::detail;

template <class Element>
[[nodiscard]] std::uint8_t number_of_element() {
  std::string_view name = sizeof(Element) == 8   ? "u64"
                          : sizeof(Element) == 4 ? "u32"
                          : sizeof(Element) == 2 ? "u16"
                                                 : "u8";
  if constexpr (dma::machine::HalfFloat<Element>::is_known) {
    name = dma::machine::HalfFloat<Element>::name;
  } else if constexpr (std::is_floating_point_v<Element>) {
    name = sizeof(Element) == 8 ? "f64" : "f32";
  }
  const auto* const found = std::find_if(ptx::map_elements.begin(), ptx::map_elements.end(),
                                         [&](const ptx::MapElement& element) { return element.name == name; });
  return static_cast<std::uint8_t>(found - ptx::map_elements.begin());
}

/// What the driver makes of a box of an array, as the interpreter of PTX has it.
template <class Pattern>
[[nodiscard]] dma::detail::TensorDescriptor descriptor_of(const typename Pattern::Element* array, const Pattern& part) {
  const auto box = part.box();
  constexpr std::size_t rank = decltype(box)::rank;
  ptx::TensorMap map{.mark = ptx::TensorMap::own_mark, .last_axis = rank - 1};
  map.element = number_of_element<typename Pattern::Element>();
  map.swizzle = static_cast<std::uint8_t>(box.swizzle);
  map.address = reinterpret_cast<std::uintptr_t>(array) + static_cast<std::uint64_t>(box.origin_bytes);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    map.extents[axis] = static_cast<std::uint32_t>(box.array_extents[axis]);
    map.box[axis] = static_cast<std::uint16_t>(box.extents[axis]);
    map.steps[axis] = 1;
    if (axis > 0) {
      map.strides[axis - 1] = static_cast<std::uint64_t>(box.pitch_bytes[axis]);
    }
  }
  dma::detail::TensorDescriptor descriptor;
  static_assert(sizeof map <= sizeof descriptor);
  std::memcpy(&descriptor, &map, sizeof map);
  return descriptor;
}

/// As `dma::tensor_map` makes them on a machine with a driver.
template <dma::TransferPattern Pattern>
[[nodiscard]] dma::TensorMap<Pattern> tensor_map(const typename Pattern::Element* array, const Pattern& pattern) {
  dma::TensorMap<Pattern> map{};
  for_each_part(pattern, [&](const auto& part, int, auto index) {
    if constexpr (dma::detail::has_hardware_boxes<Pattern>) {
      map.descriptors[index] = descriptor_of(array, part);
    }
  });
  return map;
}
template <dma::TransferPattern Pattern, dma::TransferPattern... Parts>
[[nodiscard]] dma::TensorMap<Pattern> tensor_map(const dma::TensorArray<Parts>&... arrays) {
  dma::TensorMap<Pattern> map{};
  int index = 0;
  ((map.descriptors[index++] = descriptor_of(arrays.data, arrays.part)), ...);
  return map;
}

}  // namespace by_ptx
