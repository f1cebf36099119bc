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

/// Of the two rows that a thread has a part of.
struct Rows {
  static constexpr float none = -1.7e38F;  ///< below any scaled score

  float zero[2] = {none, none};  ///< the scaled score whose power is 1
  float sum[2] = {};             ///< of the thread's own powers
};

/// Powers are those of 2: the scores' scale has the logarithm of e.
template <class Cta>
class Softmax {
 public:
  DMA_HOST_DEVICE Softmax(const Cta& cta, float scale) : cta_(cta), scale_(scale * log_2_of_e) {}

  /// Scores of the first `Seen` columns (0: of all) become powers, relative to the largest score that their row had so
  /// far: its power is 1, which needs no rounding. Other powers are 0. Returns whether a row of the warp has a larger
  /// one than before: what was added up is then to be multiplied by `shrinks`.
  template <int Seen = 0, int Columns>
  DMA_HOST_DEVICE bool add(Rows& rows, dma::MatrixSums<64, Columns>& scores, float (&shrinks)[2]) const {
    constexpr int seen = Seen == 0 ? Columns : Seen;
    int largest[2];
    dma::unrolled<2>([&](auto r) { largest[r] = largest_as<int, r.value, seen>(scores); });
    // Where all are negative, integers compare the other way round. One vote for both rows, while lanes exchange them.
    const bool is_negative = cta_.any(largest[0] < 0 || largest[1] < 0);
    dma::unrolled<2>([&](auto r) { largest[r] = across_row(largest[r], Larger{}); });
    if (is_negative) {
      dma::unrolled<2>([&](auto r) {
        largest[r] = __builtin_bit_cast(int, across_row(largest_as<float, r.value, seen>(scores), Larger{}));
      });
    }
    bool grows = false;
    dma::unrolled<2>([&](auto r) {
      const float zero = fmaxf(rows.zero[r], __builtin_bit_cast(float, largest[r]) * scale_);
      grows = grows || zero > rows.zero[r];
      shrinks[r] = power_of_2(rows.zero[r] - zero);
      rows.zero[r] = zero;
      rows.sum[r] *= shrinks[r];
    });
    grows = cta_.any(grows);
    dma::unrolled<2>([&](auto r) {
      // Two sums, so that one operation does not wait for the one before.
      float sum_of_odd = 0;
      of_row<r.value, seen>(scores, [&](float& first, float& second) {
        first = power_of_2(first * scale_ - rows.zero[r]);
        rows.sum[r] += first;
        second = power_of_2(second * scale_ - rows.zero[r]);
        sum_of_odd += second;
      });
      rows.sum[r] += sum_of_odd;
    });
    dma::unrolled<(Columns - seen) / 2>([&](auto i) { scores.values[seen / 2 + i] = 0; });
    return grows;
  }

  /// Adds up the parts of each row's sum.
  DMA_HOST_DEVICE void finish(Rows& rows) const {
    dma::unrolled<2>([&](auto r) { rows.sum[r] = across_row(rows.sum[r], [](float a, float b) { return a + b; }); });
  }
  /// What the sums of row r are multiplied by at the end: 0 where it sees no key.
  [[nodiscard]] DMA_HOST_DEVICE static float factor_of(const Rows& rows, int r) {
    return rows.zero[r] == Rows::none ? 0.0F : 1 / rows.sum[r];
  }
  /// The logarithm of the sum of e to a row's scaled scores, once finished: minus infinity where it sees no key.
  [[nodiscard]] DMA_HOST_DEVICE static float log_sum(const Rows& rows, int r) {
    return rows.zero[r] == Rows::none ? -infinity() : (rows.zero[r] + std::log2(rows.sum[r])) / log_2_of_e;
  }

  template <int Columns>
  DMA_HOST_DEVICE static void multiply(dma::MatrixSums<64, Columns>& sums, const float (&factors)[2]) {
    dma::unrolled<2>([&](auto r) {
      of_row<r.value, Columns>(sums, [&](float& first, float& second) {
        first *= factors[r];
        second *= factors[r];
      });
    });
  }

 private:
  struct Larger {
    [[nodiscard]] DMA_HOST_DEVICE int operator()(int a, int b) const { return a < b ? b : a; }
    [[nodiscard]] DMA_HOST_DEVICE float operator()(float a, float b) const { return fmaxf(a, b); }
  };

  /// The largest of the thread's scores of a row, among the first columns. As integers, of which one instruction takes
  /// three, they compare as floats do where the larger one is not negative.
  template <class Number, int Row, int Seen, int Columns>
  [[nodiscard]] DMA_HOST_DEVICE static Number largest_as(const dma::MatrixSums<64, Columns>& scores) {
    static_assert(Seen >= 16,
                  "attention: two maxima are of eight columns each at least; use blocks of 32 keys or more");
    const Larger larger;
    Number maxima[2];
    dma::unrolled<Seen / 8>([&](auto i) {
      const auto first = __builtin_bit_cast(Number, scores.values[4 * i + 2 * Row]);
      const auto second = __builtin_bit_cast(Number, scores.values[4 * i + 2 * Row + 1]);
      maxima[i.value % 2] = i.value < 2 ? larger(first, second) : larger(maxima[i.value % 2], larger(first, second));
    });
    return larger(maxima[0], maxima[1]);
  }

  /// Calls `body(first, second)` for the two elements of each 8 of the first columns.
  template <int Row, int Seen, int Columns, class Body>
  DMA_HOST_DEVICE static void of_row(dma::MatrixSums<64, Columns>& sums, const Body& body) {
    dma::unrolled<Seen / 8>([&](auto i) { body(sums.values[4 * i + 2 * Row], sums.values[4 * i + 2 * Row + 1]); });
  }
  /// Of the four threads that have parts of a row.
  template <class Number, class Combine>
  [[nodiscard]] DMA_HOST_DEVICE Number across_row(Number value, const Combine& combine) const {
    value = combine(value, cta_.shuffle(value, cta_.lane() ^ 1));
    return combine(value, cta_.shuffle(value, cta_.lane() ^ 2));
  }

  const Cta& cta_;
  float scale_;
};

}  // namespace attention
