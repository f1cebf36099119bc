#pragma once

/// Layers with their arrays, for tests.

#include "linear.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace linear {

/// What a case has.
struct Shape {
  int m;
  int n;
  int k;
  int group = 128;
  bool has_zeros = false;
  int bits = 4;
};

/// The largest `error_of(i, j, value)` of Y, whose rows are 3 elements apart; 2 where a number was not written, or one
/// between Y's rows was: NaN was everywhere.
template <class Element, class ErrorOf>
[[nodiscard]] double worst_error_of(const std::vector<Element>& y, int m, int n, const ErrorOf& error_of) {
  double worst = 0;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n + 3; ++j) {
      const auto at = static_cast<std::size_t>(i) * static_cast<std::size_t>(n + 3) + static_cast<std::size_t>(j);
      const double value = static_cast<double>(static_cast<float>(y[at]));
      if ((j >= n) != std::isnan(value)) {
        return 2;
      }
      if (j < n) {
        worst = std::max(worst, error_of(i, j, value));
      }
    }
  }
  return worst;
}

/// A layer with numbers from a fixed sequence; X has NaN between its rows, and Y everywhere.
template <class Element>
struct Case {
  Shape shape;
  std::vector<unsigned char> numbers;
  std::vector<Element> scales;
  std::vector<unsigned char> zeros;
  std::vector<Element> x;
  std::vector<Element> w;
  std::vector<Element> y;
  Problem<Element> p;

  explicit Case(const Shape& of)
      : shape(of),
        numbers(size(of.n, of.k)),
        scales(size(of.n, of.k / of.group)),
        zeros(of.has_zeros ? scales.size() : 0),
        x(size(of.m, of.k + 8), static_cast<Element>(__builtin_nanf(""))),
        w(packed_elements(of.n, of.k, of.group, of.has_zeros, of.bits), static_cast<Element>(__builtin_nanf(""))),
        y(size(of.m, of.n + 3), static_cast<Element>(__builtin_nanf(""))) {
    for (unsigned char& number : numbers) {
      number = static_cast<unsigned char>(next() % numbers_of(of.bits));
    }
    for (unsigned char& zero : zeros) {
      zero = static_cast<unsigned char>(next() % numbers_of(of.bits));
    }
    for (Element& scale : scales) {
      scale = static_cast<Element>(0.01F * static_cast<float>(1 + next() % 100));
    }
    for (int i = 0; i < of.m; ++i) {
      for (int j = 0; j < of.k; ++j) {
        x[at(i, j, of.k + 8)] = static_cast<Element>(static_cast<float>(next() % 2001) * 1e-3F - 1);
      }
    }
    p = {of.m, of.n, of.k, of.group, of.has_zeros, x.data(), of.k + 8, w.data(), y.data(), of.n + 3, of.bits};
  }

  [[nodiscard]] Rows<Element> rows() const {
    return {shape.n, shape.k, numbers.data(), scales.data(), zeros.empty() ? nullptr : zeros.data()};
  }

  /// The largest error of Y, beside what rounding Y and the sums' floats allow.
  [[nodiscard]] double worst_error() const {
    return worst_error_of(y, shape.m, shape.n, [&](int i, int j, double value) { return error_of(i, j, value); });
  }

 private:
  [[nodiscard]] static std::size_t size(int rows, int columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  }
  [[nodiscard]] static std::size_t at(int row, int column, int columns) {
    return size(row, columns) + static_cast<std::size_t>(column);
  }
  [[nodiscard]] static unsigned numbers_of(int bits) { return 1U << bits; }
  [[nodiscard]] unsigned next() { return seed_ = seed_ * 1664525U + 1013904223U, seed_ >> 8; }
  [[nodiscard]] double error_of(int i, int j, double value) const {
    double sum = 0;
    double sizes = 0;
    for (int of = 0; of < shape.k; ++of) {
      const std::size_t in_scales = at(j, of / shape.group, shape.k / shape.group);
      const double zero = zeros.empty() ? numbers_of(shape.bits) / 2 : zeros[in_scales];
      const double weight =
          static_cast<double>(static_cast<float>(scales[in_scales])) * (numbers[at(j, of, shape.k)] - zero);
      const double product = weight * static_cast<double>(static_cast<float>(x[at(i, of, shape.k + 8)]));
      sum += product;
      sizes += std::abs(product);
    }
    // Half a place of the element, and sums in float of products that are exact.
    const double place =
        sizeof(Element) == 2 && static_cast<float>(static_cast<Element>(1.001F)) == 1.0F ? 0x1p-8 : 0x1p-11;
    return std::abs(value - sum) / (std::abs(sum) * place + sizes * 0x1p-18);
  }

  unsigned seed_ = 1;
};

}  // namespace linear
