#pragma once

#include <dma/dma.hpp>

namespace fft {

/// A complex number of single precision, with the layout of CUDA's float2.
struct alignas(8) Complex {
  float re;
  float im;
};

[[nodiscard]] DMA_HOST_DEVICE constexpr Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
[[nodiscard]] DMA_HOST_DEVICE constexpr Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
[[nodiscard]] DMA_HOST_DEVICE constexpr Complex operator*(Complex a, Complex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
[[nodiscard]] DMA_HOST_DEVICE constexpr Complex operator*(Complex a, float factor) {
  return {a.re * factor, a.im * factor};
}
/// `a` itself for a sign of 1, its conjugate for -1.
[[nodiscard]] DMA_HOST_DEVICE constexpr Complex conjugated(Complex a, float sign) { return {a.re, a.im * sign}; }

}  // namespace fft
