#pragma once

/// Layers with their arrays, for tests.

#include "../cases.hpp"
#include "linear.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

namespace linear::fp8 {

/// What a case has.
struct Shape {
  int m;
  int n;
  int k;
  bool has_columns = false;  ///< whether the scales of X of one block of k follow one another
};

/// A layer with numbers from a fixed sequence; X and W have NaN between their rows, and Y everywhere.
struct Case {
  Shape shape;
  std::vector<Number> x;
  std::vector<Number> w;
  std::vector<float> x_scales;
  std::vector<float> w_scales;
  std::vector<BFloat16> y;
  Problem p;

  explicit Case(const Shape& of)
      : shape(of),
        x(size(of.m, of.k + 16), no_number()),
        w(size(of.n, of.k + 32), no_number()),
        x_scales(size(of.m, blocks_of(of.k))),
        w_scales(size(blocks_of(of.n), blocks_of(of.k))),
        y(size(of.m, of.n + 3), static_cast<BFloat16>(__builtin_nanf(""))) {
    fill(x, of.m, of.k, of.k + 16);
    fill(w, of.n, of.k, of.k + 32);
    for (std::vector<float>* const scales : {&x_scales, &w_scales}) {
      for (float& scale : *scales) {
        scale = 0.01F * static_cast<float>(1 + next() % 100);
      }
    }
    p = {of.m,
         of.n,
         of.k,
         x.data(),
         of.k + 16,
         x_scales.data(),
         of.has_columns ? 1 : blocks_of(of.k),
         of.has_columns ? of.m : 1,
         w.data(),
         of.k + 32,
         w_scales.data(),
         y.data(),
         of.n + 3};
  }

  /// The largest error of Y, beside half a place of Y and what the sums may lose. A CPU loses 2^-18 of the products'
  /// sizes. Of tensor cores that is a model: 32 products and the sum before are added with one exponent, of the sums of
  /// exponents the largest, and 13 places behind it.
  [[nodiscard]] double worst_error(bool by_tensor_cores = false) const {
    return worst_error_of(y, shape.m, shape.n,
                          [&](int i, int j, double value) { return error_of(i, j, value, by_tensor_cores); });
  }

 private:
  [[nodiscard]] static std::size_t size(int rows, int columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  }
  [[nodiscard]] static std::size_t at(int row, int column, int columns) {
    return size(row, columns) + static_cast<std::size_t>(column);
  }
  [[nodiscard]] unsigned next() { return seed_ = seed_ * 1664525U + 1013904223U, seed_ >> 8; }

  [[nodiscard]] static Number number_of(unsigned bits) {
    const auto byte = static_cast<unsigned char>(bits);
    Number number;
    std::memcpy(&number, &byte, sizeof number);
    return number;
  }
  [[nodiscard]] static Number no_number() { return number_of(0x7f); }
  /// A sign, four bits of exponent and three of mantissa.
  [[nodiscard]] static double value_of(const Number& number) {
    unsigned char bits;
    std::memcpy(&bits, &number, sizeof bits);
    const int exponent = bits / 8 % 16;
    const double size = exponent == 0 ? std::ldexp(bits % 8, -9) : std::ldexp(8 + bits % 8, exponent - 10);
    return bits >= 128 ? -size : size;
  }
  /// Numbers up to 15, and a few that are subnormal.
  void fill(std::vector<Number>& numbers, int rows, int columns, int distance) {
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        const unsigned random = next();
        const unsigned exponent = random / 16 % 16 == 0 ? 0 : 5 + random / 256 % 6;
        numbers[at(i, j, distance)] = number_of(random % 8 + exponent * 8 + random / 8 % 2 * 128);
      }
    }
  }
  [[nodiscard]] double error_of(int i, int j, double value, bool by_tensor_cores) const {
    double sum = 0;
    double sizes = 0;
    double lost = 0;  // by the instructions, each of 32 k
    const int blocks = blocks_of(shape.k);
    for (int first = 0; first < shape.k; first += 128) {
      const float of_x = x_scales[shape.has_columns ? at(first / 128, i, shape.m) : at(i, first / 128, blocks)];
      const double scale = double{of_x} * double{w_scales[at(j / 128, first / 128, blocks)]};
      double of_block = 0;
      double largest = 0;
      for (int of = first; of < std::min(first + 128, shape.k); ++of) {
        const double product = value_of(x[at(i, of, shape.k + 16)]) * value_of(w[at(j, of, shape.k + 32)]);
        largest = std::max(of % 32 == 0 ? std::abs(of_block) : largest, std::abs(product));
        of_block += product;
        sizes += scale * std::abs(product);
        lost += of % 32 == 31 || of + 1 == shape.k ? scale * 33 * largest * 0x1p-12 : 0;
      }
      sum += scale * of_block;
    }
    return std::abs(value - sum) / (std::abs(sum) * 0x1p-8 + (by_tensor_cores ? lost : sizes * 0x1p-18));
  }

  unsigned seed_ = 1;
};

}  // namespace linear::fp8
