#pragma once

#include <dma/config.hpp>
#include <dma/engines/fill.hpp>
#include <dma/engines/tensor/described_array.hpp>
#include <dma/engines/tensor/tensor_array.hpp>
#include <dma/engines/tensor/tensor_map.hpp>
#include <dma/machine/half_float.hpp>
#include <dma/patterns/box.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/patterns/view.hpp>
#include <dma/standard.hpp>

/// Tensor maps for the emulated CTA, which copies boxes run by run.
namespace dma::inline v0_1::host {

namespace detail {

/// Describes the array of part `index` in its map.
template <class Pattern, TransferPattern Part>
void describe_part(TensorMap<Pattern>& map, int index, const TensorArray<Part>& array) {
  [[maybe_unused]] const char* const refusal =
      dma::detail::refusal_of_map<typename Part::Element>(array.data, array.options.outside);
  DMA_EXPECTS(refusal == nullptr, refusal, "part", index);
  const auto box = array.part.box();
  [[maybe_unused]] const int axis = dma::detail::axis_without_map(box);
  DMA_EXPECTS(axis < 0, dma::detail::refused_axis, "axis", axis, "elements", box.array_extents[axis < 0 ? 0 : axis]);
  // A map serves stores too; the caller decides whether the array may be written.
  auto* const address = reinterpret_cast<unsigned char*>(const_cast<typename Part::Element*>(array.data));
  const dma::detail::DescribedArray described = dma::detail::describe(address, array.options.outside, array.part);
  memcpy(map.descriptors[index].bytes, &described, sizeof described);
}

}  // namespace detail

/// A map of the array at `array` for kernels on the emulator; extents and pitches are those of `pattern`. Throws
/// `std::logic_error` for what a GPU's map cannot describe.
template <TransferPattern Pattern>
[[nodiscard]] TensorMap<Pattern> tensor_map(const typename Pattern::Element* array, const Pattern& pattern,
                                            OutsideArray outside = OutsideArray::zero) {
  dma::detail::expect_boxes<Pattern>();
  TensorMap<Pattern> map{};
  for_each_part(pattern, [&](const auto& part, int, auto index) {
    if constexpr (dma::detail::has_hardware_boxes<Pattern>) {
      detail::describe_part(map, index, TensorArray{array, part, {.outside = outside}});
    }
  });
  return map;
}

/// The same of a view, as `dma::tensor_map` takes it.
template <TransferPattern Pattern, dma::detail::StridedView View>
  requires(dma::detail::AddressedView<View>&& dma::detail::BoxOfView<Pattern, View>)
[[nodiscard]] TensorMap<Pattern> tensor_map(const View& view, OutsideArray outside = OutsideArray::zero) {
  return tensor_map<Pattern>(dma::detail::address_of(view), dma::detail::first_box_of<Pattern>(view), outside);
}

/// The same of several arrays, one for each part of `Pattern` and in their order, as `dma::tensor_map` takes them.
template <TransferPattern Pattern, TransferPattern... Parts>
[[nodiscard]] TensorMap<Pattern> tensor_map(const TensorArray<Parts>&... arrays) {
  dma::detail::expect_boxes<Pattern>();
  TensorMap<Pattern> map{};
  if constexpr (dma::detail::are_arrays_of_parts<Pattern, Parts...>() && dma::detail::has_hardware_boxes<Pattern>) {
    int index = 0;
    (detail::describe_part(map, index++, arrays), ...);
  }
  return map;
}

}  // namespace dma::inline v0_1::host

namespace dma::inline v0_1::detail {

/// The address of a described array, of part `index` of a tile. Throws where the descriptor is a GPU's, or describes
/// another array than the pattern's.
template <BoxPattern Pattern>
[[nodiscard]] DMA_HOST_DEVICE unsigned char* described_array(const TensorDescriptor& descriptor, const Pattern& pattern,
                                                             [[maybe_unused]] int index = 0) {
  DescribedArray array{};
  memcpy(&array, descriptor.bytes, sizeof array);
  DMA_EXPECTS(array.mark == DescribedArray::host_mark,
              "dma::TensorCopy: this map was not made for the emulator; make it by dma::host::tensor_map");
  DMA_EXPECTS(has_layout_of(array, pattern),
              "dma::TensorCopy: the tile's array has other extents or pitches than the map, and a GPU would use those "
              "of the map; give both the same",
              "part", index, "axis", differing_axis(array, pattern));
  DMA_EXPECTS(fills_as(array.outside, pattern),
              "dma::TensorCopy: the tile's fill is not the map's, and a GPU would use that of the map; make both zero "
              "or both NaN",
              "part", index);
  return array.address;
}

/// Calls `visit(run)` for each run of a box, with the places of the run in the array.
template <BoxPattern Pattern, class Visit>
DMA_HOST_DEVICE void for_each_run_of_box(const Pattern& pattern, const Visit& visit) {
  for (int i = 0; i < pattern.run_count(); ++i) {
    visit(pattern.run_at(i));
  }
}

/// The copies of a box: run by run, as `machine::BoxCopy` takes them.
template <BoxPattern Pattern>
struct BoxOfArray {
  unsigned char* array;
  Pattern pattern;

  template <class Visit>
  DMA_HOST_DEVICE void for_each_global_run(const Visit& visit) const {
    for_each_run_of_box(pattern, [&](const Run& run) { visit(array + run.global, run.bytes); });
  }
};
/// With the box's fill.
template <BoxPattern Pattern>
struct BoxLoad : BoxOfArray<Pattern> {
  static constexpr bool adds = false;
  unsigned char* tile;

  DMA_HOST_DEVICE void operator()() const {
    for_each_run_of_box(this->pattern, [&](const Run& run) {
      memcpy(tile + run.shared, this->array + run.global, static_cast<unsigned>(run.bytes));
    });
    if constexpr (PaddedPattern<Pattern>) {
      fill_outside<1>(this->pattern, tile, 0);
    }
  }
};
/// Stores a box's elements, as one thread of a host.
template <BoxPattern Pattern>
struct BoxStore : BoxOfArray<Pattern> {
  static constexpr bool adds = false;
  const unsigned char* tile;

  DMA_HOST_DEVICE void operator()() const {
    for_each_run_of_box(this->pattern, [&](const Run& run) {
      memcpy(this->array + run.global, tile + run.shared, static_cast<unsigned>(run.bytes));
    });
  }
};
/// Adds a box's elements to those of its array, as one thread of a host.
template <BoxPattern Pattern>
struct BoxSum : BoxOfArray<Pattern> {
  static constexpr bool adds = true;
  const unsigned char* tile;

  DMA_HOST_DEVICE void operator()() const {
    for_each_run_of_box(this->pattern, [&](const Run& run) {
      machine::add_elements<typename Pattern::Element>(this->array + run.global, tile + run.shared, run.bytes);
    });
  }
};

/// Four rows of a described array, as `machine::BoxCopy` takes them: those from row `first` of a plane of a tile on,
/// which begins at `place` in shared memory.
template <RowListPattern Part>
struct RowsOfArray {
  unsigned char* array;
  Part part;
  int plane;
  int first;
  int at[5];  ///< the column of the array, and four of its rows or outside

  /// Bytes of a row that are in the array.
  [[nodiscard]] DMA_HOST_DEVICE int row_bytes() const {
    return at_most(Part::Tile::cols, part.box().array_extents[0] - at[0]) * Part::Tile::element_bytes;
  }
  /// Where a byte of row `first` + i is, after `place`.
  [[nodiscard]] DMA_HOST_DEVICE int shared_at(int i, int byte) const {
    return Part::Tile::shared_at(first + i, byte, plane) - (plane * Part::Tile::rows + first) * Part::Tile::row_bytes;
  }
  /// Calls `visit(i, the row's bytes in the array)`, where there are none with null.
  template <class Visit>
  DMA_HOST_DEVICE void for_each_row(const Visit& visit) const {
    for (int i = 0; i < 4; ++i) {
      const int row = at[1 + i];
      const bool is_inside = row >= 0 && row < part.box().array_extents[1];
      visit(i, is_inside ? array + row * part.box().pitch_bytes[1] + at[0] * Part::Tile::element_bytes : nullptr);
    }
  }
  template <class Visit>
  DMA_HOST_DEVICE void for_each_global_run(const Visit& visit) const {
    for_each_row([&](int, unsigned char* row) {
      if (row != nullptr) {
        visit(row, row_bytes());
      }
    });
  }
};
/// With zeros outside the array.
template <RowListPattern Part>
struct RowsLoad : RowsOfArray<Part> {
  static constexpr bool adds = false;
  unsigned char* place;

  DMA_HOST_DEVICE void operator()() const {
    this->for_each_row([&](int i, const unsigned char* row) {
      const int inside = row == nullptr ? 0 : this->row_bytes();
      for (int byte = 0; byte < Part::Tile::row_bytes; ++byte) {
        place[this->shared_at(i, byte)] = byte < inside ? row[byte] : static_cast<unsigned char>(0);
      }
    });
  }
};
/// The rows that are in the array are stored there.
template <RowListPattern Part>
struct RowsStore : RowsOfArray<Part> {
  static constexpr bool adds = false;
  const unsigned char* place;

  DMA_HOST_DEVICE void operator()() const {
    this->for_each_row([&](int i, unsigned char* row) {
      for (int byte = 0; row != nullptr && byte < this->row_bytes(); ++byte) {
        row[byte] = place[this->shared_at(i, byte)];
      }
    });
  }
};

}  // namespace dma::inline v0_1::detail
