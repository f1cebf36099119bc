#include <dma/standard.hpp>

#if __has_include(<cuda_bf16.h>)
#include <dma/host/launch.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernels/matrix_product.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <tuple>
#include <vector>

namespace {

using dma::Major;
using dma::Swizzle;
using dma::machine::MatrixElement;
using dma::machine::MatrixOperand;
using kernels::MatrixProduct;
using kernels::Operand;
using BFloat16 = __nv_bfloat16;
using Half = __half;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// `rows` x 64 small integers, as an element's bits.
template <class Element>
std::vector<std::uint16_t> some_integers(int rows, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> values(-8, 8);
  std::vector<std::uint16_t> bits(at(rows) * 64);
  for (std::uint16_t& element : bits) {
    element = MatrixElement<Element>::from_float(static_cast<float>(values(random)));
  }
  return bits;
}

/// The elements of a product that differ from a sum in double, of 32 values of k.
template <class A, class B, int Columns>
int wrong_elements(int first_row, int first_k) {
  using Element = typename A::Pattern::Element;
  const auto a = some_integers<Element>(A::extent, 1);
  const auto b = some_integers<Element>(B::extent, 2);
  std::vector<float> c(at(64 * Columns), -1.0F);
  dma::host::launch(MatrixProduct<A, B, Columns>{}, {1}, a.data(), b.data(), c.data(), first_row, first_k);
  int wrong = 0;
  for (int i = 0; i < 64 * Columns; ++i) {
    double sum = 0;
    for (int k = first_k; k < first_k + 32; ++k) {
      sum += double{MatrixElement<Element>::to_float(a[at((first_row + i / Columns) * 64 + k)])} *
             double{MatrixElement<Element>::to_float(b[at(i % Columns * 64 + k)])};
    }
    wrong += double{c[at(i)]} != sum ? 1 : 0;
  }
  return wrong;
}

/// The elements of (a b) b that differ from sums in double. These are exact: a and b have few ones among zeros, so that
/// all results are integers below 256.
template <class Element>
int wrong_elements_of_two_products() {
  using A = Operand<Element, Major::k, Swizzle::bytes_128, 64>;
  using B = Operand<Element, Major::mn, Swizzle::bytes_128, 64>;
  auto a = some_integers<Element>(64, 3);
  auto b = some_integers<Element>(64, 4);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto small = [](std::uint16_t bits) {
      return MatrixElement<Element>::from_float(static_cast<float>(MatrixElement<Element>::to_float(bits) > 6));
    };
    a[i] = small(a[i]);
    b[i] = small(b[i]);
  }
  std::vector<std::uint16_t> out(64 * 64);
  dma::host::launch(kernels::ProductOfProduct<A, B>{}, {1}, a.data(), b.data(), out.data());
  const auto value = [](const std::vector<std::uint16_t>& bits, int i) {
    return double{MatrixElement<Element>::to_float(bits[at(i)])};
  };
  std::vector<double> first(64 * 64);
  int wrong = 0;
  for (const bool is_second : {false, true}) {
    for (int i = 0; i < 64 * 64; ++i) {
      double sum = 0;
      for (int k = 0; k < 64; ++k) {
        sum += (is_second ? first[at(i / 64 * 64 + k)] : value(a, i / 64 * 64 + k)) * value(b, i % 64 * 64 + k);
      }
      if (is_second) {
        wrong += value(out, i) != sum ? 1 : 0;
      } else {
        first[at(i)] = sum;
      }
    }
  }
  return wrong;
}

template <Major A, Swizzle SwizzleOfA, Major B, Swizzle SwizzleOfB, class Type = BFloat16>
struct Operands {
  template <int Columns>
  using OfB = Operand<Type, B, SwizzleOfB, Columns>;
  using OfA = Operand<Type, A, SwizzleOfA, 128>;
};

}  // namespace

TEMPLATE_TEST_CASE("A host multiplies matrices of each swizzle, contiguous in each index", "",
                   (Operands<Major::k, Swizzle::bytes_128, Major::k, Swizzle::bytes_128>),
                   (Operands<Major::mn, Swizzle::bytes_128, Major::mn, Swizzle::bytes_128, Half>),
                   (Operands<Major::k, Swizzle::bytes_64, Major::mn, Swizzle::bytes_64>),
                   (Operands<Major::mn, Swizzle::bytes_64, Major::k, Swizzle::bytes_64>),
                   (Operands<Major::k, Swizzle::bytes_32, Major::mn, Swizzle::bytes_32, Half>),
                   (Operands<Major::mn, Swizzle::bytes_32, Major::k, Swizzle::bytes_32>),
                   (Operands<Major::k, Swizzle::none, Major::mn, Swizzle::none>),
                   (Operands<Major::mn, Swizzle::none, Major::k, Swizzle::none>)) {
  using A = typename TestType::OfA;
  CHECK(wrong_elements<A, typename TestType::template OfB<64>, 64>(0, 0) == 0);
  CHECK(wrong_elements<A, typename TestType::template OfB<192>, 128>(64, 16) == 0);
}

TEST_CASE("Products of 8 to 256 columns have the hardware's fragments", "") {
  using A = Operand<BFloat16, Major::k, Swizzle::bytes_128, 128>;
  CHECK(wrong_elements<A, Operand<BFloat16, Major::k, Swizzle::bytes_128, 8>, 8>(8, 32) == 0);
  CHECK(wrong_elements<A, Operand<BFloat16, Major::k, Swizzle::bytes_128, 24>, 24>(16, 0) == 0);
  CHECK(wrong_elements<A, Operand<BFloat16, Major::k, Swizzle::bytes_128, 256>, 256>(0, 0) == 0);
  // The last thread of the second warp: rows 16 + 7 and 16 + 15, columns 6 and 7 of each eight.
  using Sums = dma::MatrixSums<64, 16>;
  CHECK(Sums::row_of(63, 0) == 23);
  CHECK(Sums::row_of(63, 2) == 31);
  CHECK(Sums::column_of(63, 0) == 6);
  CHECK(Sums::column_of(63, 7) == 15);
}

TEST_CASE("A product's sums are the next one's operand, and are stored by matrices", "") {
  CHECK(wrong_elements_of_two_products<BFloat16>() == 0);
  CHECK(wrong_elements_of_two_products<Half>() == 0);
}

TEST_CASE("Elements of products are rounded as the toolkit's types are", "") {
  std::mt19937 random(5);
  int wrong = 0;
  for (int i = 0; i < 200'000; ++i) {
    auto bits = static_cast<std::uint32_t>(random());
    if (i % 2 == 0) {  // ties, and values that a half has
      bits = (bits & 0xbfffe000) + ((bits & 0x40000000) != 0 ? 0 : 0x30000000) % 0x40000000;
    }
    float value;
    std::memcpy(&value, &bits, sizeof value);
    if (value != value) {
      continue;
    }
    const auto brain = __float2bfloat16(value);
    const auto ieee = __float2half(value);
    wrong += MatrixElement<BFloat16>::from_float(value) != static_cast<__nv_bfloat16_raw>(brain).x ? 1 : 0;
    wrong += MatrixElement<Half>::from_float(value) != static_cast<__half_raw>(ieee).x ? 1 : 0;
  }
  for (int bits = 0; bits < 0x10000; ++bits) {
    __half_raw raw;
    raw.x = static_cast<unsigned short>(bits);
    const float theirs = __half2float(__half(raw));
    const float ours = MatrixElement<Half>::to_float(raw.x);
    wrong += theirs == ours || (theirs != theirs && ours != ours) ? 0 : 1;
  }
  CHECK(wrong == 0);
}
#endif
