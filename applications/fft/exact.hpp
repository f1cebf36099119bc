#pragma once

/// The transform by its definition, in float64.

#include "complex.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <random>
#include <vector>

namespace fft {

/// Points with parts in [-1, 1).
[[nodiscard]] inline std::vector<Complex> random_points(long long count, unsigned seed = 1) {
  std::minstd_rand random(seed);
  const auto value = [&] { return static_cast<float>(random() % (1U << 24)) / static_cast<float>(1U << 23) - 1.0F; };
  std::vector<Complex> points(static_cast<std::size_t>(count));
  for (Complex& point : points) {
    point = {value(), value()};
  }
  return points;
}

/// Real points, two in each of an array's complex numbers, as complex ones of no imaginary part.
[[nodiscard]] inline std::vector<Complex> of_reals(const Complex* pairs, long long points) {
  std::vector<Complex> all;
  for (long long i = 0; i < points / 2; ++i) {
    all.push_back({pairs[i].re, 0});
    all.push_back({pairs[i].im, 0});
  }
  return all;
}
/// All results of a transform of real points, of which `half` has those from 0 to points / 2.
[[nodiscard]] inline std::vector<Complex> with_conjugates(const Complex* half, long long points) {
  std::vector<Complex> all(half, half + points / 2 + 1);
  for (long long k = points / 2 - 1; k > 0; --k) {
    all.push_back(conjugated(half[k], -1));
  }
  return all;
}

/// Result `k` of the transform of `points` points.
[[nodiscard]] inline std::complex<double> exact_result(const Complex* x, long long points, long long k, bool inverse) {
  const double turn = (inverse ? 2 : -2) * 3.14159265358979323846 / static_cast<double>(points);
  std::complex<double> sum = 0;
  std::complex<double> w = 1;
  const std::complex<double> step = std::polar(1.0, turn * static_cast<double>(k));
  for (long long j = 0; j < points; ++j) {
    if (j % 64 == 0) {
      w = std::polar(1.0, turn * static_cast<double>(j * k % points));
    }
    sum += w * std::complex<double>(x[j].re, x[j].im);
    w *= step;
  }
  return sum;
}

/// The root mean square of the errors of about `samples` results, in units of that of the results of random points.
[[nodiscard]] inline double error_of(const Complex* x, const Complex* result, long long points, bool inverse,
                                     int samples) {
  double squares = 0;
  long long count = 0;
  const long long step = std::max(1LL, points / samples) | 1;  // odd: meets every remainder modulo a power of two
  for (long long k = 0; k < points; k += step) {
    squares += std::norm(exact_result(x, points, k, inverse) - std::complex<double>(result[k].re, result[k].im));
    ++count;
  }
  return std::sqrt(squares / static_cast<double>(count) / (2.0 / 3.0 * static_cast<double>(points)));
}

/// What the error of a transform stays below: half a rounding for each doubling of its points.
[[nodiscard]] inline double error_bound(long long points) { return 3e-8 * std::log2(static_cast<double>(points)); }

}  // namespace fft
