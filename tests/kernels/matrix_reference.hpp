#pragma once

#include <dma/machine/half_float.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/matrix_product.hpp"

/// The products of `matrix_product.hpp` on integers, against sums in double: all sums are exact on both machines.
namespace kernels {

using Bits = std::vector<std::uint16_t>;

template <class Element>
[[nodiscard]] double value_of(const Bits& bits, int i) {
  return double{dma::machine::HalfFloat<Element>::to_float(bits[static_cast<std::size_t>(i)])};
}

/// `rows` x 64 integers that `integer(random)` returns.
template <class Element, class Integer>
[[nodiscard]] Bits some_integers(int rows, unsigned seed, const Integer& integer) {
  std::mt19937 random(seed);
  Bits bits(static_cast<std::size_t>(rows) * 64);
  for (std::uint16_t& element : bits) {
    element = dma::machine::HalfFloat<Element>::from_float(static_cast<float>(integer(random)));
  }
  return bits;
}

/// The elements of a product of 32 values of k that differ. `multiply(a, b, c)` runs `MatrixProduct<A, B, Columns>`.
template <class A, class B, int Columns, class Multiply>
[[nodiscard]] int wrong_elements(int first_row, int first_k, const Multiply& multiply) {
  using Element = typename A::Pattern::Element;
  const auto integer = [](auto& random) { return static_cast<int>(random() % 17) - 8; };
  const Bits a = some_integers<Element>(A::extent, 1, integer);
  const Bits b = some_integers<Element>(B::extent, 2, integer);
  std::vector<float> c(std::size_t{64} * Columns, -1.0F);
  multiply(a, b, c);
  int wrong = 0;
  for (int i = 0; i < 64 * Columns; ++i) {
    double sum = 0;
    for (int k = first_k; k < first_k + 32; ++k) {
      sum += value_of<Element>(a, (first_row + i / Columns) * 64 + k) * value_of<Element>(b, i % Columns * 64 + k);
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
