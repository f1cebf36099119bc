#pragma once

#include <dma/machine/half_float.hpp>
#include <dma/machine/product_element.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/matrix_product.hpp"

/// The products of `matrix_product.hpp` on integers, against sums in double: all sums are exact on both machines.
namespace kernels {

using Bits = std::vector<std::uint16_t>;

/// The value of a float of one byte: a sign, `exponent_bits` and the rest of a mantissa, without what is no number.
[[nodiscard]] inline double value_of_byte(int bits, int exponent_bits) {
  const int mantissa_bits = 7 - exponent_bits;
  const int exponent = (bits >> mantissa_bits) % (1 << exponent_bits);
  const int mantissa = bits % (1 << mantissa_bits);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double size = exponent == 0 ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
                                    : std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
  return bits >= 128 ? -size : size;
}

template <class Element, class Bit>
[[nodiscard]] double value_of(const std::vector<Bit>& bits, int i) {
  const auto at = static_cast<std::size_t>(i);
  if constexpr (sizeof(Bit) == 1) {
    return value_of_byte(bits[at], dma::machine::ByteFloat<Element>::name[1] - '0');
  } else {
    return double{dma::machine::HalfFloat<Element>::to_float(bits[at])};
  }
}

/// The bits of an integer from -16 to 16.
template <class Element>
[[nodiscard]] dma::machine::ProductBits<Element> bits_of_integer(int integer) {
  if constexpr (dma::machine::ByteFloat<Element>::is_known) {
    std::vector<std::uint8_t> bits(1);
    while (value_of<Element>(bits, 0) != integer) {
      ++bits[0];
    }
    return bits[0];
  } else {
    return dma::machine::HalfFloat<Element>::from_float(static_cast<float>(integer));
  }
}

/// `rows` x 128 bytes of integers that `integer(random)` returns.
template <class Element, class Integer>
[[nodiscard]] auto some_integers(int rows, unsigned seed, const Integer& integer) {
  using Bit = dma::machine::ProductBits<Element>;
  std::mt19937 random(seed);
  std::vector<Bit> bits(static_cast<std::size_t>(rows) * 128 / sizeof(Bit));
  for (Bit& element : bits) {
    element = bits_of_integer<Element>(integer(random));
  }
  return bits;
}

/// The elements of a product of 64 bytes of k that differ. `multiply(a, b, c)` runs `MatrixProduct<A, B, Columns>`.
template <class A, class B, int Columns, class Multiply>
[[nodiscard]] int wrong_elements(int first_row, int first_k, const Multiply& multiply) {
  using Element = typename A::Pattern::Element;
  constexpr int inner = A::inner;
  const auto integer = [](auto& random) { return static_cast<int>(random() % 17) - 8; };
  const auto a = some_integers<Element>(A::extent, 1, integer);
  const auto b = some_integers<Element>(B::extent, 2, integer);
  std::vector<float> c(std::size_t{64} * Columns, -1.0F);
  multiply(a, b, c);
  int wrong = 0;
  for (int i = 0; i < 64 * Columns; ++i) {
    double sum = 0;
    for (int k = first_k; k < first_k + inner / 2; ++k) {
      sum +=
          value_of<Element>(a, (first_row + i / Columns) * inner + k) * value_of<Element>(b, i % Columns * inner + k);
    }
    wrong += double{c[static_cast<std::size_t>(i)]} != sum ? 1 : 0;
  }
  return wrong;
}

/// The elements of (a b) b that differ: a and b have few ones among zeros, so that all results are integers below 256,
/// which elements hold. `multiply(product, a, b, out)` runs the kernel body `product`.
template <class Element, class Multiply>
[[nodiscard]] int wrong_elements_of_two_products(const Multiply& multiply) {
  using A = Operand<Element, dma::Major::k, dma::Swizzle::bytes_128, 64>;
  using B = Operand<Element, dma::Major::mn, dma::Swizzle::bytes_128, 64>;
  const auto rarely_one = [](auto& random) { return random() % 8 == 0 ? 1 : 0; };
  const Bits a = some_integers<Element>(64, 3, rarely_one);
  const Bits b = some_integers<Element>(64, 4, rarely_one);
  Bits out(64 * 64);
  multiply(ProductOfProduct<A, B>{}, a, b, out);
  std::vector<double> first(64 * 64);
  int wrong = 0;
  for (const bool is_second : {false, true}) {
    for (int i = 0; i < 64 * 64; ++i) {
      double sum = 0;
      for (int k = 0; k < 64; ++k) {
        const int at = i / 64 * 64 + k;
        sum += (is_second ? first[static_cast<std::size_t>(at)] : value_of<Element>(a, at)) *
               value_of<Element>(b, i % 64 * 64 + k);
      }
      if (is_second) {
        wrong += value_of<Element>(out, i) != sum ? 1 : 0;
      } else {
        first[static_cast<std::size_t>(i)] = sum;
      }
    }
  }
  return wrong;
}

}  // namespace kernels
