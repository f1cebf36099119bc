#pragma once

#include <dma/config.hpp>
#include <dma/standard.hpp>

#if DMA_CHECKED
#include <dma/machine/checked/message.hpp>
#endif

namespace dma::inline v0_1 {

namespace detail {

/// Elements of a `Vector` whose number is not given: as many as fill 16 bytes.
template <class T>
inline constexpr int vector_size = sizeof(T) < 16 ? 16 / int{sizeof(T)} : 1;

}  // namespace detail

/// `Size` elements that a thread reads or writes in one access, like CUDA's float4, for any element and on a host too:
/// as many as fill 16 bytes unless named. `Vector<T>::size()` is their number.
///
/// `+`, `-` and `*` work element by element, with a vector or a number on either side.
template <class T, int Size = detail::vector_size<T>>
struct alignas(Size * sizeof(T)) Vector {
  static_assert(Size > 0 && (Size & (Size - 1)) == 0 && (sizeof(T) & (sizeof(T) - 1)) == 0 && Size * sizeof(T) <= 16,
                "dma::Vector: one access moves 1, 2, 4, 8 or 16 bytes; choose a Size that is a power of two and at "
                "most 16 / sizeof(T)");

  T elements[Size];

  [[nodiscard]] DMA_HOST_DEVICE static constexpr int size() noexcept { return Size; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr T& operator[](int i) { return elements[i]; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr const T& operator[](int i) const { return elements[i]; }

  DMA_HOST_DEVICE friend constexpr Vector operator+(const Vector& a, const Vector& b) {
    return of([&](int i) { return a[i] + b[i]; });
  }
  DMA_HOST_DEVICE friend constexpr Vector operator-(const Vector& a, const Vector& b) {
    return of([&](int i) { return a[i] - b[i]; });
  }
  DMA_HOST_DEVICE friend constexpr Vector operator*(const Vector& a, const Vector& b) {
    return of([&](int i) { return a[i] * b[i]; });
  }
  DMA_HOST_DEVICE friend constexpr Vector operator+(const Vector& a, T b) {
    return of([&](int i) { return a[i] + b; });
  }
  DMA_HOST_DEVICE friend constexpr Vector operator-(const Vector& a, T b) {
    return of([&](int i) { return a[i] - b; });
  }
  DMA_HOST_DEVICE friend constexpr Vector operator*(const Vector& a, T b) {
    return of([&](int i) { return a[i] * b; });
  }
  DMA_HOST_DEVICE friend constexpr Vector operator+(T a, const Vector& b) { return b + a; }
  DMA_HOST_DEVICE friend constexpr Vector operator-(T a, const Vector& b) {
    return of([&](int i) { return a - b[i]; });
  }
  DMA_HOST_DEVICE friend constexpr Vector operator*(T a, const Vector& b) { return b * a; }
  DMA_HOST_DEVICE constexpr Vector& operator+=(const Vector& other) { return *this = *this + other; }

 private:
  template <class ElementAt>
  [[nodiscard]] DMA_HOST_DEVICE static constexpr Vector of(const ElementAt& element_at) {
    Vector vector{};
    for (int i = 0; i < Size; ++i) {
      vector.elements[i] = static_cast<T>(element_at(i));
    }
    return vector;
  }
};

/// An array in global memory, or an own one in shared memory, as vectors: element i is elements `i * Size` and
/// following of `array`.
///
/// @pre The address is a multiple of the vector's bytes.
template <int Size = 0, class T>
[[nodiscard]] DMA_HOST_DEVICE auto vectors(T* array) {
  using Element = stdlib::remove_const_t<T>;
  using Whole = Vector<Element, Size == 0 ? detail::vector_size<Element> : Size>;
  DMA_EXPECTS(reinterpret_cast<stdlib::uintptr_t>(array) % alignof(Whole) == 0,
              "dma::vectors: the array begins at an address that is no multiple of the vector's bytes, where a GPU "
              "would fault; name a smaller size, as in dma::vectors<1>(array), or begin at another element",
              "address", array, "bytes of a vector", int{alignof(Whole)});
  return reinterpret_cast<stdlib::conditional_t<stdlib::is_const_v<T>, const Whole*, Whole*>>(array);
}

}  // namespace dma::inline v0_1
