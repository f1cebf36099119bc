#pragma once

#include <dma/config.hpp>
#include <dma/machine/half_float.hpp>
#include <dma/patterns/box.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1 {

/// The value that elements outside an array arrive as: zero, or a NaN of floating-point elements of 2, 4 or 8 bytes.
enum class OutsideArray { zero, nan };

}  // namespace dma::inline v0_1

/// An array as a map describes it: what a host keeps in the place of the hardware's encoding, and the checked build
/// beside it, to compare with the tiles that are moved by the map.
namespace dma::inline v0_1::detail {

/// An array as a host's tensor map has it, in the place of the GPU's 128 bytes.
struct DescribedArray {
  static constexpr unsigned long long host_mark = 0x646d612d686f7374ULL;
  static constexpr int most_axes = 5;

  unsigned long long mark;
  unsigned char* address;
  OutsideArray outside;
  long long extents[most_axes];
  long long pitch_bytes[most_axes];
};

/// The array that a pattern's box is taken from, at this address.
template <BoxPattern Pattern>
[[nodiscard]] DescribedArray describe(unsigned char* address, OutsideArray outside, const Pattern& pattern) {
  const auto box = pattern.box();
  DescribedArray array{DescribedArray::host_mark, address, outside, {}, {}};
  for (int axis = 0; axis < box.rank; ++axis) {
    array.extents[axis] = box.array_extents[axis];
    array.pitch_bytes[axis] = box.pitch_bytes[axis];
  }
  return array;
}

/// The first axis on which the pattern's array has another extent or pitch; the box's rank where there is none.
template <BoxPattern Pattern>
[[nodiscard]] DMA_HOST_DEVICE int differing_axis(const DescribedArray& array, const Pattern& pattern) {
  const auto box = pattern.box();
  int axis = 0;
  while (axis < box.rank && array.extents[axis] == box.array_extents[axis] &&
         array.pitch_bytes[axis] == box.pitch_bytes[axis]) {
    ++axis;
  }
  return axis;
}
/// Whether an array has the extents and pitches of a pattern's.
template <BoxPattern Pattern>
[[nodiscard]] DMA_HOST_DEVICE bool has_layout_of(const DescribedArray& array, const Pattern& pattern) {
  return differing_axis(array, pattern) == decltype(pattern.box())::rank;
}

/// Whether an element is a NaN; integers are none.
template <class Element>
[[nodiscard]] DMA_HOST_DEVICE bool is_nan([[maybe_unused]] const Element& value) {
  if constexpr (machine::HalfFloat<Element>::is_known) {
    stdlib::uint16_t bits;
    memcpy(&bits, &value, sizeof bits);
    const float wide = machine::HalfFloat<Element>::to_float(bits);
    return wide != wide;
  } else if constexpr (stdlib::is_floating_point_v<Element>) {
    return value != value;
  } else {
    return false;
  }
}

/// Whether the value that a map delivers outside its array is the pattern's fill.
template <BoxPattern Pattern>
[[nodiscard]] DMA_HOST_DEVICE bool fills_as([[maybe_unused]] OutsideArray outside,
                                            [[maybe_unused]] const Pattern& pattern) {
  if constexpr (PaddedPattern<Pattern>) {
    const auto value = pattern.fill_value();
    if (outside == OutsideArray::nan) {
      return is_nan(value);
    }
    unsigned char bytes[sizeof value];
    memcpy(bytes, &value, sizeof value);
    bool is_zero = true;
    for (const unsigned char byte : bytes) {
      is_zero = is_zero && byte == 0;
    }
    return is_zero;
  } else if constexpr (RowListPattern<Pattern>) {
    return outside == OutsideArray::zero;
  } else {
    return true;
  }
}

}  // namespace dma::inline v0_1::detail
