#pragma once

/// Butterflies: discrete Fourier transforms of 2, 4, 8 and 16 points in the registers of a thread.

#include "shape.hpp"
#include "twiddle.hpp"

namespace fft {

/// `Radix` points x[First], x[First + Stride], ... become their transform, in natural order.
///
/// Cost  16 points: 144 additions and 24 multiplications, before additions and multiplications are fused
template <int Radix, int First, int Stride>
DMA_HOST_DEVICE constexpr void butterfly(Complex (&x)[points_a_thread]) {
  static_assert(Radix == 2 || Radix == 4 || Radix == 8 || Radix == 16, "fft: a butterfly has 2, 4, 8 or 16 points");
  static_assert(First + (Radix - 1) * Stride < points_a_thread, "fft: a butterfly's points are those of one thread");
  if constexpr (Radix == 2) {
    const Complex a = x[First];
    const Complex b = x[First + Stride];
    x[First] = a + b;
    x[First + Stride] = a - b;
  } else if constexpr (Radix == 4) {
    const Complex even = x[First] + x[First + 2 * Stride];
    const Complex even_difference = x[First] - x[First + 2 * Stride];
    const Complex odd = x[First + Stride] + x[First + 3 * Stride];
    const Complex odd_difference = times_sixteenth<4>(x[First + Stride] - x[First + 3 * Stride]);
    x[First] = even + odd;
    x[First + Stride] = even_difference + odd_difference;
    x[First + 2 * Stride] = even - odd;
    x[First + 3 * Stride] = even_difference - odd_difference;
  } else {
    // Point Rest * j + i of the input, point k + 4 * l of the output.
    constexpr int Rest = Radix / 4;
    dma::unrolled<Rest>([&](auto i) { butterfly<4, First + i * Stride, Rest * Stride>(x); });
    dma::unrolled<4>([&](auto k) {
      dma::unrolled<Rest>([&](auto i) {
        Complex& point = x[First + (Rest * k + i) * Stride];
        point = times_sixteenth<k * i*(16 / Radix)>(point);
      });
      butterfly<Rest, First + Rest * k * Stride, Stride>(x);
    });
    Complex ordered[Radix]{};
    dma::unrolled<Radix>([&](auto r) { ordered[r / Rest + r % Rest * 4] = x[First + r * Stride]; });
    dma::unrolled<Radix>([&](auto r) { x[First + r * Stride] = ordered[r]; });
  }
}

}  // namespace fft
