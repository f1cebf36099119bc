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

/// Whether loads of so many elements can read each row and the small array, and store what they give: what the article
/// leaves to its reader to check.
template <int BigWidth, int SmallWidth, class T>
[[nodiscard]] DMA_HOST_DEVICE bool begin_on_loads(const Points<T>& job, int pitch) {
  const auto begins_on = [](const T* array, int width) {
    return reinterpret_cast<dma::stdlib::uintptr_t>(array) % (static_cast<unsigned>(width) * sizeof(T)) == 0;
  };
  return pitch % BigWidth == 0 && begins_on(job.big, BigWidth) && begins_on(job.best, BigWidth) &&
         begins_on(job.small, SmallWidth);
}

/// `BigWidth` points from `p` on. Values beyond the last multiple of `Unrolled` are added one by one.
template <int BigWidth, int SmallWidth, int Unrolled, class T>
DMA_HOST_DEVICE void best_at(const Points<T>& job, int pitch, int p) {
  static_assert(Unrolled % SmallWidth == 0);
  dma::Vector<T, BigWidth> best{};
  const auto add = [&](int k, T small) {
    const auto big = *dma::vectors<BigWidth>(job.big + static_cast<long long>(k) * pitch + p);
    dma::unrolled<BigWidth>([&](auto j) { best[j] = larger(best[j], big[j] + small); });
  };
  int k = 0;
  for (; k + Unrolled <= job.values; k += Unrolled) {
    dma::unrolled<Unrolled / SmallWidth>([&](auto step) {
      const int first = k + step * SmallWidth;
      const auto small = dma::vectors<SmallWidth>(job.small)[first / SmallWidth];
      dma::unrolled<SmallWidth>([&](auto i) { add(first + i, small[i]); });
    });
  }
  for (; k < job.values; ++k) {
    add(k, job.small[k]);
  }
  *dma::vectors<BigWidth>(job.best + p) = best;
}

/// The loop of one thread for any numbers of points and values, in arrays that begin anywhere. Rows of `big` are
/// `pitch` elements apart: of an odd number of points an even pitch keeps wide loads, and an odd one takes single
/// elements, as every other row would begin between two loads.
template <int BigWidth, int SmallWidth, int Unrolled, class T>
DMA_HOST_DEVICE void best_of_any_count(const Points<T>& job, int pitch, int thread, int threads) {
  if constexpr (BigWidth > 1 || SmallWidth > 1) {
    if (!begin_on_loads<BigWidth, SmallWidth>(job, pitch)) {
      best_of_any_count<1, 1, Unrolled>(job, pitch, thread, threads);
      return;
    }
  }
  const int in_vectors = job.points / BigWidth * BigWidth;
  for (int p = BigWidth * thread; p < in_vectors; p += BigWidth * threads) {
    best_at<BigWidth, SmallWidth, Unrolled>(job, pitch, p);
  }
  for (int p = in_vectors + thread; p < job.points; p += threads) {
    best_at<1, SmallWidth, Unrolled>(job, pitch, p);
  }
}

}  // namespace financial
