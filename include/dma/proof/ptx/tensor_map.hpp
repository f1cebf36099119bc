#pragma once

#include <dma/machine/host/instruction.hpp>
#include <dma/proof/ptx/summation.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace dma::inline v0_1::proof::ptx::detail {

/// A type of a tensor map's elements. Its place in the list is its number in `tensormap.replace`.
struct MapElement {
  std::string_view name;
  int bytes;
  Summation::Of sums;
};
/// Source  PTX ISA, "tensormap.replace": `.elemtype`
inline constexpr std::array map_elements{
    MapElement{"u8", 1, Summation::Of::none},      MapElement{"u16", 2, Summation::Of::none},
    MapElement{"u32", 4, Summation::Of::bits},     MapElement{"s32", 4, Summation::Of::with_sign},
    MapElement{"u64", 8, Summation::Of::bits},     MapElement{"s64", 8, Summation::Of::with_sign},
    MapElement{"f16", 2, Summation::Of::f16},      MapElement{"f32", 4, Summation::Of::floating},
    MapElement{"f32", 4, Summation::Of::floating}, MapElement{"f64", 8, Summation::Of::floating},
    MapElement{"bf16", 2, Summation::Of::bf16},    MapElement{"tf32", 4, Summation::Of::none},
    MapElement{"tf32", 4, Summation::Of::none}};

/// A tensor map: the 128 bytes that a GPU gives no meaning, as this interpreter has them.
struct TensorMap {
  static constexpr std::uint32_t own_mark = 0x50414d54;
  static constexpr std::size_t bytes = 128;
  static constexpr std::size_t alignment = 64;
  static constexpr std::size_t most_axes = 5;

  std::uint32_t mark = 0;
  std::uint8_t last_axis = 0;  ///< the number of axes less one
  std::uint8_t element = 0;    ///< of `map_elements`
  std::uint8_t swizzle = 0;    ///< 0: none; 1, 2, 3: over 32, 64, 128 bytes
  std::uint8_t others = 0;     ///< what the map has besides that is not understood
  std::uint64_t address = 0;
  std::array<std::uint64_t, most_axes - 1> strides{};  ///< bytes, from the second axis on
  std::array<std::uint32_t, most_axes> extents{};      ///< of the array, the contiguous axis first
  std::array<std::uint16_t, most_axes> box{};
  std::array<std::uint16_t, most_axes> steps{};  ///< from element to element

  [[nodiscard]] std::size_t axes() const noexcept { return std::size_t{last_axis} + 1; }
  [[nodiscard]] int element_bytes() const noexcept { return map_elements[element].bytes; }
  [[nodiscard]] int row_bytes() const noexcept { return box[0] * element_bytes(); }
  [[nodiscard]] int box_bytes() const noexcept {
    constexpr std::int64_t most = 1 << 30;  // more than any shared memory
    std::int64_t all = row_bytes();
    for (std::size_t axis = 1; axis < axes(); ++axis) {
      all = std::min(all * box[axis], most);
    }
    return static_cast<int>(all);
  }
  /// Where a swizzle leaves a byte of shared memory.
  [[nodiscard]] std::uint64_t swizzled(std::uint64_t place) const noexcept {
    const std::uint64_t bits = swizzle == 0 ? 0 : (std::uint64_t{16} << swizzle) - 16;
    return place ^ (place >> 3 & bits);
  }
  /// Why copies cannot use it; null where they can.
  ///
  /// Source  CUDA driver API, cuTensorMapEncodeTiled
  [[nodiscard]] const char* refusal() const noexcept {
    if (mark != own_mark || last_axis >= most_axes || element >= map_elements.size() || swizzle > 3 || others != 0) {
      return "no tensor map that is understood";
    }
    if (address % 16 != 0) {
      return "the array of a tensor map does not begin at a multiple of 16";
    }
    for (std::size_t axis = 0; axis < axes(); ++axis) {
      if (extents[axis] == 0 || box[axis] == 0 || box[axis] > 256) {
        return "a tensor map has an axis of no elements, or a box of none or of more than 256 along one";
      }
      if (steps[axis] != 1) {
        return "a tensor map's box takes not every element";
      }
      if (axis > 0 && (strides[axis - 1] % 16 != 0 || strides[axis - 1] >> 40 != 0)) {
        return "a stride of a tensor map is no multiple of 16 bytes below 2^40";
      }
    }
    if (row_bytes() % 16 != 0) {
      return "a row of a tensor map's box is no multiple of 16 bytes";
    }
    return swizzle != 0 && row_bytes() > 16 << swizzle ? "a row of a tensor map's box is longer than its swizzle"
                                                       : nullptr;
  }
};
static_assert(sizeof(TensorMap) <= TensorMap::bytes);

/// A hash of numbers.
[[nodiscard]] inline std::uint64_t hash_of(std::span<const std::uint64_t> numbers) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const std::uint64_t number : numbers) {
    hash = (hash ^ number) * 1099511628211ULL;
    hash ^= hash >> 32;
  }
  return hash;
}

/// A box of an array and its place in shared memory, or four boxes of a row each.
struct TensorBox {
  TensorMap map;
  std::array<std::int32_t, TensorMap::most_axes> first{};  ///< coordinates; of four rows the column and their numbers
  bool has_four_rows = false;
  unsigned char* tile = nullptr;
  std::uint64_t place = 0;  ///< of the tile in the window of shared memory

  [[nodiscard]] int bytes() const noexcept { return has_four_rows ? 4 * map.row_bytes() : map.box_bytes(); }
  /// A hash of what a copy of it moves.
  [[nodiscard]] std::uint64_t hash() const {
    std::array<std::uint64_t, sizeof(TensorMap) / 8 + TensorMap::most_axes + 1> numbers{};
    static_assert(sizeof(TensorMap) % 8 == 0);
    std::memcpy(numbers.data(), &map, sizeof map);
    for (std::size_t axis = 0; axis < TensorMap::most_axes; ++axis) {
      numbers[sizeof(TensorMap) / 8 + axis] = static_cast<std::uint32_t>(first[axis]);
    }
    numbers.back() = place;
    return hash_of(numbers);
  }
  /// Calls `visit(row, global, inside, behind)` for each row of the box: of its bytes, which the array has from
  /// `global` on, those from `inside` to `behind` are in it.
  template <class Visit>
  void for_each_row(const Visit& visit) const {
    std::array<int, TensorMap::most_axes> at{};
    const int rows = bytes() / map.row_bytes();
    for (int row = 0; row < rows; ++row) {
      bool is_inside = true;
      std::int64_t offset = std::int64_t{first[0]} * map.element_bytes();
      for (std::size_t axis = 1; axis < map.axes(); ++axis) {
        const std::int64_t index =
            has_four_rows ? first[1 + static_cast<std::size_t>(row)] : std::int64_t{first[axis]} + at[axis];
        is_inside = is_inside && index >= 0 && index < map.extents[axis];
        offset += index * static_cast<std::int64_t>(map.strides[axis - 1]);
      }
      const std::int64_t before = std::int64_t{first[0]};
      const auto clamped = [&](std::int64_t element) {
        return element < 0 ? 0 : element > map.box[0] ? map.box[0] : static_cast<int>(element);
      };
      const int inside = clamped(-before) * map.element_bytes();
      const int behind = clamped(std::int64_t{map.extents[0]} - before) * map.element_bytes();
      auto* const global = reinterpret_cast<unsigned char*>(map.address + static_cast<std::uint64_t>(offset));
      visit(row, global, is_inside ? inside : 0, is_inside && behind > inside ? behind : 0);
      for (std::size_t axis = 1; axis < map.axes() && ++at[axis] == map.box[axis]; ++axis) {
        at[axis] = 0;
      }
    }
  }
  /// Calls `visit(shared, global, inside, behind)` for 16 bytes in shared memory, of which the array has a part.
  template <class Visit>
  void for_each_piece(const Visit& visit) const {
    constexpr int piece = 16;
    for_each_row([&](int row, unsigned char* global, int inside, int behind) {
      for (int at = 0; at < map.row_bytes(); at += piece) {
        const std::uint64_t to = place + static_cast<std::uint64_t>(row * map.row_bytes() + at);
        const int from = inside < at ? 0 : inside - at < piece ? inside - at : piece;
        const int until = behind < at ? 0 : behind - at < piece ? behind - at : piece;
        visit(tile + (map.swizzled(to) - place), global + at, from, until > from ? until : from);
      }
    });
  }
  template <class Visit>
  void for_each_global_run(const Visit& visit) const {
    for_each_row([&](int, unsigned char* global, int inside, int behind) {
      if (behind > inside) {
        visit(global + inside, behind - inside);
      }
    });
  }
};

}  // namespace dma::inline v0_1::proof::ptx::detail
