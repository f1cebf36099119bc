#pragma once

#include <dma/proof/ptx/launch/arrays.hpp>
#include <dma/proof/ptx/launch/launch_line.hpp>
#include <dma/proof/ptx/tensor_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace dma::inline v0_1::proof::ptx::detail {

/// The number of a type in a tensor map. One that has two names in a launch is of two bytes, and f16. Those of one byte
/// are bytes.
///
/// @throw std::invalid_argument  a map has no such elements
[[nodiscard]] inline std::uint8_t map_element(std::string_view name, const Type& type) {
  for (std::size_t i = 0; i < map_elements.size(); ++i) {
    const bool is_byte = type.kind == Type::Kind::other && type.bytes == 1;
    const bool is_same =
        is_byte ? map_elements[i].name == "u8"
        : name.empty() && type.kind == Type::Kind::other && type.bytes == 2
            ? map_elements[i].name == "f16"
            : (name.empty() ? map_elements[i].bytes == type.bytes && type_of(map_elements[i].name).kind == type.kind
                            : map_elements[i].name == name);
    if (is_same) {
      return static_cast<std::uint8_t>(i);
    }
  }
  throw std::invalid_argument("a tensor map has no elements of the type of its array; give the array another one");
}

/// The tensor map of an argument.
///
/// @throw std::invalid_argument  it says too little, or what no map can
[[nodiscard]] inline TensorMap map_of(const LaunchArgument& argument, const Array& array) {
  const std::size_t axes = argument.extents.size();
  if (axes == 0 || axes > TensorMap::most_axes || argument.box.size() != axes ||
      (!argument.strides.empty() && argument.strides.size() != axes - 1)) {
    throw std::invalid_argument(
        "the extents, the box and the strides of a tensor map do not fit; give one to five extents, a box of as many, "
        "and strides from the second axis on");
  }
  TensorMap map{.mark = TensorMap::own_mark, .last_axis = static_cast<std::uint8_t>(axes - 1)};
  map.element = map_element(argument.mapped.at(0).type_name, array.type);
  switch (argument.swizzle_bytes) {
    case 0:
    case 32:
    case 64:
      map.swizzle = static_cast<std::uint8_t>(argument.swizzle_bytes / 32);
      break;
    case 128:
      map.swizzle = 3;
      break;
    default:
      throw std::invalid_argument("a tensor map has no swizzle of " + std::to_string(argument.swizzle_bytes) +
                                  " bytes; write 32, 64 or 128");
  }
  map.address = reinterpret_cast<std::uintptr_t>(array.bytes.data());
  std::uint64_t stride = static_cast<std::uint64_t>(map.element_bytes());
  for (std::size_t axis = 0; axis < axes; ++axis) {
    map.extents[axis] = static_cast<std::uint32_t>(argument.extents[axis]);
    map.box[axis] = static_cast<std::uint16_t>(argument.box[axis]);
    map.steps[axis] = 1;
    stride *= argument.extents[axis];
    if (axis + 1 < axes) {
      stride = argument.strides.empty() ? stride : argument.strides[axis];
      map.strides[axis] = stride;
    }
  }
  return map;
}

}  // namespace dma::inline v0_1::proof::ptx::detail
