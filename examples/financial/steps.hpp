#pragma once

#include <dma/dma.hpp>

/// A kernel out of financial computing, and what an article on memory access tuning makes of it: for each point the
/// largest of the sums of its values and those of a small array.
namespace financial {

/// best[p] = max(0, big[k][p] + small[k]) over all k
template <class T>
struct Points {
  const T* big;    ///< `values` rows of `points`
  const T* small;  ///< `values`
  T* best;
  int points;
  int values;
};

template <class T>
[[nodiscard]] DMA_HOST_DEVICE constexpr T larger(T a, T b) {
  return a > b ? a : b;
}

/// The loop of one thread. It takes every `threads`-th vector of points; `Unrolled` values are added at a time.
///
/// @tparam BigWidth, SmallWidth  elements of a load
/// @pre `points` is a multiple of BigWidth, `values` of Unrolled; the arrays begin on a load.
/// Source  "Boosting Application Performance with GPU Memory Access Tuning"
template <int BigWidth, int SmallWidth, int Unrolled, class T>
DMA_HOST_DEVICE void best_of_thread(const Points<T>& job, int thread, int threads) {
  static_assert(Unrolled % SmallWidth == 0);
  for (int p = BigWidth * thread; p < job.points; p += BigWidth * threads) {
    dma::Vector<T, BigWidth> best{};
    for (int k = 0; k < job.values; k += Unrolled) {
      dma::unrolled<Unrolled / SmallWidth>([&](auto step) {
        const int first = k + step * SmallWidth;
        const auto small = dma::vectors<SmallWidth>(job.small)[first / SmallWidth];
        dma::unrolled<SmallWidth>([&](auto i) {
          const auto big = *dma::vectors<BigWidth>(job.big + static_cast<long long>(first + i) * job.points + p);
          dma::unrolled<BigWidth>([&](auto j) { best[j] = larger(best[j], big[j] + small[i]); });
        });
      });
    }
    *dma::vectors<BigWidth>(job.best + p) = best;
  }
}

}  // namespace financial
