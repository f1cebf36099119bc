#pragma once

#include <dma/config.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1::detail {

/// A view of an array of several axes, `extent(i)` elements along axis i and `stride(i)` elements from one to the next:
/// `std::mdspan`, `cuda::std::mdspan` and views of the same members. Patterns read their extents and pitches from it
/// (`at`).
template <class View>
concept StridedView = requires(const View& view) {
  { view.extent(0) } -> stdlib::convertible_to<long long>;
  { view.stride(0) } -> stdlib::convertible_to<long long>;
};

/// A pointer, or a reference to one, which an mdspan's `data_handle()` returns.
template <class T>
concept IsPointer = stdlib::is_pointer_v<stdlib::remove_cvref_t<T>>;

/// A view of memory: the address of its first element is `data_handle()`, as that of a `std::mdspan`, or `data()`, as
/// that of a `std::span`.
template <class View>
concept AddressedView = (requires(const View& view) { requires IsPointer<decltype(view.data_handle())>; }) ||
                        (requires(const View& view) { requires IsPointer<decltype(view.data())>; });

/// The address of a view's first element.
template <AddressedView View>
[[nodiscard]] DMA_HOST_DEVICE constexpr auto address_of(const View& view) {
  if constexpr (requires { view.data_handle(); }) {
    return view.data_handle();
  } else {
    return view.data();
  }
}

/// A pattern whose values have a place in a view, and whose address is therefore that of the view's first element.
template <class Pattern, class View>
concept BoxOfView = (requires(const View& view) { Pattern::at(view, 0, 0); }) ||
                    (requires(const View& view) { Pattern::at(view, 0, 0, 0); });

/// A pattern that begins at its address and takes no more from a view than the pitch and what is left.
template <class Pattern, class View>
concept RowsOfView = requires(const View& view) {
  Pattern::at(view, 0);
};

/// The box at the first element of a view.
template <class Pattern, StridedView View>
  requires BoxOfView<Pattern, View>
[[nodiscard]] DMA_HOST_DEVICE constexpr auto first_box_of(const View& view) {
  if constexpr (requires { Pattern::at(view, 0, 0); }) {
    return Pattern::at(view, 0, 0);
  } else {
    return Pattern::at(view, 0, 0, 0);
  }
}

/// Whether a view's type says how many axes it has, and they are others than `rank`.
template <class View, int rank>
[[nodiscard]] consteval bool has_other_rank() {
  if constexpr (requires { typename stdlib::integral_constant<int, static_cast<int>(View::rank())>; }) {
    return View::rank() != rank;
  }
  return false;
}

/// The stride of a mapping without elements. A function of its own: nvcc 13.0 does not find the expression constant
/// where it is written out below.
template <class Mapping>
[[nodiscard]] DMA_HOST_DEVICE constexpr long long stride_of_none(int axis) {
  return static_cast<long long>(Mapping{}.stride(axis));
}

/// Has a mapping that can be made without elements, as the layouts of an mdspan can.
template <class View>
concept HasMapping = stdlib::is_default_constructible_v<typename View::mapping_type> &&
    requires(const typename View::mapping_type& mapping) {
  mapping.stride(0);
};

/// Whether a view's type says that the elements along its last axis are no neighbours, as that of a `layout_left` does:
/// its mapping without elements has another stride too.
template <class View, int rank>
[[nodiscard]] consteval bool has_other_last_stride() {
  if constexpr (HasMapping<View>) {
    using Mapping = typename View::mapping_type;
    if constexpr (requires { typename stdlib::integral_constant<long long, stride_of_none<Mapping>(rank - 1)>; }) {
      return stride_of_none<Mapping>(rank - 1) != 1;
    }
  }
  return false;
}

/// Bytes from one element of an axis to the next, of a view of elements of type `T`.
template <class T, StridedView View>
[[nodiscard]] DMA_HOST_DEVICE constexpr long long pitch_bytes_of(const View& view, int axis) {
  return static_cast<long long>(view.stride(axis)) * static_cast<long long>(sizeof(T));
}

/// That a pattern of `rank` axes can move tiles of a view.
template <int rank, StridedView View>
DMA_HOST_DEVICE constexpr void expect_rows(const View& view) {
  if constexpr (has_other_rank<View, rank>()) {
    static_assert(always_false<View>,
                  "dma: at() takes a view with as many axes as the tile; pass a part of the view that has so many");
  } else if constexpr (has_other_last_stride<View, rank>()) {
    static_assert(always_false<View>,
                  "dma: at() takes a view whose last stride is 1, since rows move as bytes, and this view's layout has "
                  "another; use a row-major layout, or exchange the axes of view and tile");
  } else {
    DMA_EXPECTS(view.stride(rank - 1) == 1,
                "dma: at() takes a view whose last stride is 1, since rows move as bytes; use a row-major layout, or "
                "exchange the axes of view and tile",
                "stride", static_cast<long long>(view.stride(rank - 1)));
  }
}

}  // namespace dma::inline v0_1::detail
