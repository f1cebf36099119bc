#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

namespace dma::inline v0_1::tuning {

/// What a kernel writes, in device memory: every variant has to compute the same.
struct Answer {
  void* data = nullptr;
  std::size_t bytes = 0;
  double tolerance = 0;  ///< of `difference`
  /// How far two answers of `bytes` on the host are apart.
  std::function<double(const void* expected, const void* found)> difference;
};

namespace detail {

/// The largest difference of two arrays as a share of the largest magnitude in the first; infinite where one of them
/// has an element that is no number.
template <class T>
[[nodiscard]] double largest_difference(const T* expected, const T* found, std::size_t count) {
  double largest = 0;
  double difference = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double one = static_cast<double>(expected[i]);
    const double other = static_cast<double>(found[i]);
    if (!std::isfinite(one) || !std::isfinite(other)) {
      return std::numeric_limits<double>::infinity();
    }
    largest = std::max(largest, std::abs(one));
    difference = std::max(difference, std::abs(one - other));
  }
  return difference == 0 ? 0 : difference / largest;
}

}  // namespace detail

/// The answer of a kernel that writes `count` elements at `data`. It is overwritten before each variant is checked: an
/// array that the kernel reads, too, is none.
///
/// @param tolerance  the largest difference of two variants' answers as a share of the largest element: sums in another
///                   order differ by rounding
template <class T>
[[nodiscard]] Answer answer(T* data, std::size_t count, double tolerance = 1e-5) {
  return {data, count * sizeof(T), tolerance, [count](const void* expected, const void* found) {
            return detail::largest_difference(static_cast<const T*>(expected), static_cast<const T*>(found), count);
          }};
}

}  // namespace dma::inline v0_1::tuning
