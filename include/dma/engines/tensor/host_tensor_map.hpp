#pragma once

#include <dma/config.hpp>
#include <dma/engines/fill.hpp>
#include <dma/engines/tensor/map_refusal.hpp>
#include <dma/engines/tensor/tensor_map.hpp>
#include <dma/machine/add_elements.hpp>
#include <dma/patterns/box.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>

/// Tensor maps for the emulated CTA, which copies boxes run by run.
namespace dma::host {

/// What a descriptor holds on a host: the array itself, instead of the hardware's encoding.
struct DescribedArray {
  static constexpr unsigned long long host_mark = 0x646d612d686f7374ULL;
  static constexpr int most_axes = 5;

  unsigned long long mark;
  unsigned char* address;
  OutsideArray outside;
  long long extents[most_axes];
  long long pitch_bytes[most_axes];
};
static_assert(sizeof(DescribedArray) <= sizeof(TensorDescriptor));

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

/// A map of the array at `array` for kernels on the emulator; extents and pitches are those of `pattern`. Throws
/// `std::logic_error` for what a GPU's map cannot describe.
template <TransferPattern Pattern>
[[nodiscard]] TensorMap<Pattern> tensor_map(const typename Pattern::Element* array, const Pattern& pattern,
                                            OutsideArray outside = OutsideArray::zero) {
  expect_boxes<Pattern>();
  [[maybe_unused]] const char* const refusal = refusal_of_map<typename Pattern::Element>(array, outside);
  DMA_EXPECTS(refusal == nullptr, refusal);
  TensorMap<Pattern> map{};
  // A map serves stores too; the caller decides whether the array may be written.
  auto* const address = reinterpret_cast<unsigned char*>(const_cast<typename Pattern::Element*>(array));
  for_each_part(pattern, [&](const auto& part, int, auto index) {
    if constexpr (has_hardware_boxes<Pattern>) {
      const DescribedArray described = describe(address, outside, part);
      memcpy(map.descriptors[index].bytes, &described, sizeof described);
    }
  });
  return map;
}

template <BoxPattern Pattern>
[[nodiscard]] DMA_HOST_DEVICE bool has_layout_of(const DescribedArray& array, const Pattern& pattern) {
  const auto box = pattern.box();
  bool is_same = true;
  for (int axis = 0; axis < box.rank; ++axis) {
    is_same =
        is_same && array.extents[axis] == box.array_extents[axis] && array.pitch_bytes[axis] == box.pitch_bytes[axis];
  }
  return is_same;
}

template <class Element>
[[nodiscard]] DMA_HOST_DEVICE bool is_nan([[maybe_unused]] const Element& value) {
  if constexpr (stdlib::is_floating_point_v<Element>) {
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
  } else {
    return true;
  }
}

/// The address of a described array. Throws where the descriptor is a GPU's, or describes another array than the
/// pattern's.
template <BoxPattern Pattern>
[[nodiscard]] DMA_HOST_DEVICE unsigned char* described_array(const TensorDescriptor& descriptor,
                                                             const Pattern& pattern) {
  DescribedArray array{};
  memcpy(&array, descriptor.bytes, sizeof array);
  DMA_EXPECTS(array.mark == DescribedArray::host_mark,
              "dma::TensorCopy: this map was not made for the emulator; make it by dma::host::tensor_map");
  DMA_EXPECTS(has_layout_of(array, pattern),
              "dma::TensorCopy: the tile's array has other extents or pitches than the map, and a GPU would use those "
              "of the map; give both the same");
  DMA_EXPECTS(fills_as(array.outside, pattern),
              "dma::TensorCopy: the tile's fill is not the map's, and a GPU would use that of the map; make both zero "
              "or both NaN");
  return array.address;
}

/// Copies the runs of a box, one by one, and its fill.
template <BoxPattern Pattern>
DMA_HOST_DEVICE void load_box(unsigned char* tile, const unsigned char* array, const Pattern& pattern) {
  for (int i = 0; i < pattern.run_count(); ++i) {
    const Run run = pattern.run_at(i);
    memcpy(tile + run.shared, array + run.global, static_cast<unsigned>(run.bytes));
  }
  if constexpr (PaddedPattern<Pattern>) {
    fill_outside<1>(pattern, tile, 0);
  }
}
template <BoxPattern Pattern>
DMA_HOST_DEVICE void store_box(unsigned char* array, const unsigned char* tile, const Pattern& pattern) {
  for (int i = 0; i < pattern.run_count(); ++i) {
    const Run run = pattern.run_at(i);
    memcpy(array + run.global, tile + run.shared, static_cast<unsigned>(run.bytes));
  }
}
template <BoxPattern Pattern>
DMA_HOST_DEVICE void add_box(unsigned char* array, const unsigned char* tile, const Pattern& pattern) {
  for (int i = 0; i < pattern.run_count(); ++i) {
    const Run run = pattern.run_at(i);
    machine::add_elements<typename Pattern::Element>(array + run.global, tile + run.shared, run.bytes);
  }
}

}  // namespace dma::host
