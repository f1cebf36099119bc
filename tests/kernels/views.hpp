#pragma once

#include <array>
#include <cstddef>

/// Views of arrays with the members that `cuda::std::mdspan` has, written here: g++ 12 has no `std::mdspan`.
namespace views {

/// Row-major, or with the first axis closest, as the strides say at run time.
template <class T, std::size_t Rank>
struct View {
  using element_type = T;
  T* first;
  std::array<int, Rank> extents;
  std::array<long long, Rank> strides;

  [[nodiscard]] static constexpr std::size_t rank() { return Rank; }
  [[nodiscard]] constexpr int extent(std::size_t axis) const { return extents[axis]; }
  [[nodiscard]] constexpr long long stride(std::size_t axis) const { return strides[axis]; }
  [[nodiscard]] constexpr T* data_handle() const { return first; }
};

/// Two axes, of which the type says that the first has the closest elements, as `std::layout_left` does.
template <class T>
struct ColumnMajorView {
  struct mapping_type {
    int rows = 0;
    [[nodiscard]] constexpr int stride(std::size_t axis) const { return axis == 0 ? 1 : rows; }
  };
  T* first;
  mapping_type mapping;
  int cols;

  [[nodiscard]] static constexpr std::size_t rank() { return 2; }
  [[nodiscard]] constexpr int extent(std::size_t axis) const { return axis == 0 ? mapping.rows : cols; }
  [[nodiscard]] constexpr int stride(std::size_t axis) const { return mapping.stride(axis); }
  [[nodiscard]] constexpr T* data_handle() const { return first; }
};

}  // namespace views
