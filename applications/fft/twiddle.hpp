#pragma once

/// Powers of the roots of unity: by constants within a butterfly, otherwise computed, by one function for a GPU and a
/// host.

#include "complex.hpp"

#include <cmath>

namespace fft {

/// The sine and cosine of `half_turns` * pi, for -1/4 <= half_turns <= 1/4. Off by less than 0.6 units in the last
/// place: minimax polynomials, with the last step fused.
[[nodiscard]] DMA_HOST_DEVICE Complex cosine_and_sine(float half_turns) {
  const float square = half_turns * half_turns;
  float cosine = 0x1.d9e000p-3F;
  cosine = fmaf(cosine, square, -0x1.55c400p+0F);
  cosine = fmaf(cosine, square, 0x1.03c1cep+2F);
  cosine = fmaf(cosine, square, -0x1.3bd3ccp+2F);
  cosine = fmaf(cosine, square, 1.0F);
  float sine = -0x1.310000p-1F;
  sine = fmaf(sine, square, 0x1.46737ep+1F);
  sine = fmaf(sine, square, -0x1.4abbfep+2F);
  sine = fmaf(half_turns, 0x1.921fb6p+1F, half_turns * square * sine);
  return {cosine, sine};
}

/// exp(-2 pi i k / 2^log_length), for any `k`, which is taken modulo 2^32.
///
/// The angle is reduced as an integer, to at most an eighth of a turn, which a float holds exactly.
///
/// @pre 1 <= log_length <= 27
[[nodiscard]] DMA_HOST_DEVICE Complex root_of_unity(unsigned k, int log_length) {
  const unsigned turns = k << (32 - log_length);  // in 2^-32 of a turn, modulo one turn
  const unsigned quarters = (turns + (1U << 29)) >> 30;
  const int rest = static_cast<int>(turns - (quarters << 30));
  const Complex w = cosine_and_sine(static_cast<float>(rest) * 0x1p-31F);
  const bool swaps = quarters % 2 == 1;
  const float cosine = swaps ? -w.im : w.re;
  const float sine = swaps ? w.re : w.im;
  return quarters & 2U ? Complex{-cosine, sine} : Complex{cosine, -sine};
}

/// cos(2 pi k / 16) for 0 <= k <= 4.
[[nodiscard]] consteval double cosine_of_sixteenths(int k) {
  constexpr double cosines[] = {1, 0.92387953251128675613, 0.70710678118654752440, 0.38268343236508977173, 0};
  return cosines[k];
}

/// `a` times exp(-2 pi i K / 16), for K from 0 to 9, without multiplications where K is a multiple of 4.
template <int K>
[[nodiscard]] DMA_HOST_DEVICE constexpr Complex times_sixteenth(Complex a) {
  static_assert(K >= 0 && K <= 9, "fft: the product of two indices of a radix-16 butterfly is 0 to 9");
  if constexpr (K >= 8) {
    const Complex b = times_sixteenth<K - 8>(a);
    return {-b.re, -b.im};
  } else if constexpr (K >= 4) {
    const Complex b = times_sixteenth<K - 4>(a);
    return {b.im, -b.re};
  } else if constexpr (K == 2) {
    constexpr auto half = static_cast<float>(cosine_of_sixteenths(2));
    return {(a.re + a.im) * half, (a.im - a.re) * half};
  } else if constexpr (K == 0) {
    return a;
  } else {
    constexpr auto cosine = static_cast<float>(cosine_of_sixteenths(K));
    constexpr auto sine = static_cast<float>(cosine_of_sixteenths(4 - K));
    return {a.re * cosine + a.im * sine, a.im * cosine - a.re * sine};
  }
}

/// Calls `use(r, w^r * first)` for r = 0 to Count - 1, as constants, where w = exp(-2 pi i k / 2^log_length).
///
/// The powers 1, 4 and 8 are computed, the others are products of them: at most four roundings more.
template <int Count, class Use>
DMA_HOST_DEVICE void for_each_power(Complex first, unsigned k, int log_length, const Use& use) {
  constexpr int low_count = Count < 4 ? Count : 4;
  Complex low[4];  // w^1 to w^3
  low[1] = root_of_unity(k, log_length);
  if constexpr (Count > 2) {
    low[2] = low[1] * low[1];
    low[3] = low[1] * low[2];
  }
  Complex high[4] = {first};  // first times w^0, w^4, w^8 and w^12
  if constexpr (Count > 4) {
    const Complex fourth = root_of_unity(4 * k, log_length);
    high[1] = fourth * first;
    if constexpr (Count > 8) {
      high[2] = root_of_unity(8 * k, log_length) * first;
      high[3] = high[2] * fourth;
    }
  }
  dma::unrolled<(Count + 3) / 4>([&](auto quad) {
    use(dma::Constant<4 * quad>{}, high[quad]);
    dma::unrolled<low_count - 1>([&](auto l) { use(dma::Constant<4 * quad + l + 1>{}, high[quad] * low[l + 1]); });
  });
}

}  // namespace fft
