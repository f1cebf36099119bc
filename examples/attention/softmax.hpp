#pragma once

/// The softmax of a warpgroup's rows, block of keys by block of keys.

#include <dma/dma.hpp>
#include <dma/matrix/sums.hpp>

#include <cmath>

namespace attention {

inline constexpr float log_2_of_e = 1.44269504F;

/// 2 to the power of `x`, whose error is 2 units in the last place; of minus infinity 0.
[[nodiscard]] DMA_HOST_DEVICE float power_of_2(float x) {
#if defined(__CUDA_ARCH__)
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
#else
  return std::exp2(x);
#endif
}
[[nodiscard]] DMA_HOST_DEVICE constexpr float infinity() { return __builtin_bit_cast(float, 0x7f800000); }

/// Of the two rows that a thread has a part of: the largest score so far, and the sum of the thread's own powers.
struct Rows {
  float largest[2] = {-infinity(), -infinity()};
  float sum[2] = {};
};

/// Powers are those of 2: the scores' scale has the logarithm of e.
template <class Cta>
class Softmax {
 public:
  DMA_HOST_DEVICE Softmax(const Cta& cta, float scale) : cta_(cta), scale_(scale * log_2_of_e) {}

  /// Scores become powers, relative to the row's largest so far. What was added up before is then to be multiplied by
  /// `shrinks`.
  template <int Columns>
  DMA_HOST_DEVICE void add(Rows& rows, dma::MatrixSums<64, Columns>& scores, float (&shrinks)[2]) const {
    float found[2];
    find_largest(rows, scores, found);
    dma::unrolled<2>([&](auto r) {
      const float largest = across_row(found[r], [](float a, float b) { return fmaxf(a, b); });
      // A row that sees no key yet has only scores of minus infinity, whose powers are 0.
      const float zero = largest == -infinity() ? 0.0F : largest * scale_;
      shrinks[r] = power_of_2(rows.largest[r] * scale_ - zero);
      rows.largest[r] = largest;
      // Two sums, as there are two maxima, so that one operation does not wait for the one before.
      float sum = rows.sum[r] * shrinks[r];
      float sum_of_odd = 0;
      of_row<r.value>(scores, [&](float& first, float& second) {
        first = power_of_2(first * scale_ - zero);
        sum += first;
        second = power_of_2(second * scale_ - zero);
        sum_of_odd += second;
      });
      rows.sum[r] = sum + sum_of_odd;
    });
  }

  /// Adds up the parts of each row's sum.
  DMA_HOST_DEVICE void finish(Rows& rows) const {
    dma::unrolled<2>([&](auto r) { rows.sum[r] = across_row(rows.sum[r], [](float a, float b) { return a + b; }); });
  }
  /// What the sums of row r are multiplied by at the end: 0 where it sees no key.
  [[nodiscard]] DMA_HOST_DEVICE static float factor_of(const Rows& rows, int r) {
    return rows.largest[r] == -infinity() ? 0.0F : 1 / rows.sum[r];
  }
  /// The logarithm of the sum of e to a row's scaled scores, once finished: minus infinity where it sees no key.
  [[nodiscard]] DMA_HOST_DEVICE float log_sum(const Rows& rows, int r) const {
    return rows.largest[r] == -infinity() ? -infinity()
                                          : (rows.largest[r] * scale_ + std::log2(rows.sum[r])) / log_2_of_e;
  }

  template <int Columns>
  DMA_HOST_DEVICE static void multiply(dma::MatrixSums<64, Columns>& sums, const float (&factors)[2]) {
    dma::unrolled<2>([&](auto r) {
      of_row<r.value>(sums, [&](float& first, float& second) {
        first *= factors[r];
        second *= factors[r];
      });
    });
  }

 private:
  /// Of each row the largest of the thread's scores, and of the largest before. Integers compare as floats do where the
  /// larger one is not negative, and one instruction takes three of them. Floats are compared where all are negative.
  template <int Columns>
  DMA_HOST_DEVICE static void find_largest(const Rows& rows, const dma::MatrixSums<64, Columns>& scores,
                                           float (&found)[2]) {
    dma::unrolled<2>([&](auto r) { found[r] = largest_as<int, r.value>(rows.largest[r], scores); });
    if (found[0] < 0 || found[1] < 0) {
      dma::unrolled<2>([&](auto r) { found[r] = largest_as<float, r.value>(rows.largest[r], scores); });
    }
  }
  template <class Number, int Row, int Columns>
  [[nodiscard]] DMA_HOST_DEVICE static float largest_as(float before, const dma::MatrixSums<64, Columns>& scores) {
    Number maxima[2] = {__builtin_bit_cast(Number, before), __builtin_bit_cast(Number, before)};
    dma::unrolled<Columns / 8>([&](auto i) {
      const auto first = __builtin_bit_cast(Number, scores.values[4 * i + 2 * Row]);
      const auto second = __builtin_bit_cast(Number, scores.values[4 * i + 2 * Row + 1]);
      maxima[i.value % 2] = larger(maxima[i.value % 2], larger(first, second));
    });
    return __builtin_bit_cast(float, larger(maxima[0], maxima[1]));
  }
  [[nodiscard]] DMA_HOST_DEVICE static int larger(int a, int b) { return a < b ? b : a; }
  [[nodiscard]] DMA_HOST_DEVICE static float larger(float a, float b) { return fmaxf(a, b); }

  /// Calls `body(first, second)` for the two elements of each 8 columns.
  template <int Row, int Columns, class Body>
  DMA_HOST_DEVICE static void of_row(dma::MatrixSums<64, Columns>& sums, const Body& body) {
    dma::unrolled<Columns / 8>([&](auto i) { body(sums.values[4 * i + 2 * Row], sums.values[4 * i + 2 * Row + 1]); });
  }
  /// Of the four threads that have parts of a row.
  template <class Combine>
  [[nodiscard]] DMA_HOST_DEVICE float across_row(float value, const Combine& combine) const {
    value = combine(value, cta_.shuffle(value, cta_.lane() ^ 1));
    return combine(value, cta_.shuffle(value, cta_.lane() ^ 2));
  }

  const Cta& cta_;
  float scale_;
};

}  // namespace attention
