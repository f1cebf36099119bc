#include <dma/standard.hpp>

#if __has_include(<cuda_bf16.h>)
#include <dma/host/launch.hpp>
#include <dma/machine/product_element.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <kernels/matrix_product.hpp>
#include <kernels/matrix_reference.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>

namespace {

using Catch::Matchers::ContainsSubstring;
using dma::Major;
using dma::Swizzle;
using dma::machine::HalfFloat;
using kernels::MatrixProduct;
using kernels::Operand;
using BFloat16 = __nv_bfloat16;
using Half = __half;
using E4m3 = __nv_fp8_e4m3;
using E5m2 = __nv_fp8_e5m2;

template <class A, class B, int Columns>
int wrong_elements(int first_row, int first_k) {
  return kernels::wrong_elements<A, B, Columns>(first_row, first_k, [&](const auto& a, const auto& b, auto& c) {
    dma::host::launch(MatrixProduct<A, B, Columns>{}, {1}, a.data(), b.data(), c.data(), first_row, first_k);
  });
}
template <class Element>
int wrong_elements_of_two_products() {
  return kernels::wrong_elements_of_two_products<Element>([](auto product, const auto& a, const auto& b, auto& c) {
    dma::host::launch(product, {1}, a.data(), b.data(), c.data());
  });
}

template <Major A, Swizzle SwizzleOfA, Major B, Swizzle SwizzleOfB, class Type = BFloat16>
struct Layouts {
  template <int Columns>
  using OfB = Operand<Type, B, SwizzleOfB, Columns>;
  using OfA = Operand<Type, A, SwizzleOfA, 128>;
};

/// The bytes of a float whose value is not that of the toolkit's type, or of the format's definition.
template <class Element>
[[nodiscard]] int wrong_bytes(int exponent_bits, const auto& is_number) {
  int wrong = 0;
  for (int bits = 0; bits < 256; ++bits) {
    Element element;
    const auto byte = static_cast<std::uint8_t>(bits);
    std::memcpy(&element, &byte, sizeof element);
    const auto theirs = static_cast<float>(element);
    const float ours = dma::machine::ByteFloat<Element>::to_float(byte);
    const bool is_right = theirs != theirs
                              ? ours != ours
                              : ours == theirs && std::signbit(ours) == std::signbit(theirs) &&
                                    (!is_number(bits) || double{ours} == kernels::value_of_byte(bits, exponent_bits));
    wrong += is_right ? 0 : 1;
  }
  return wrong;
}

enum class Operands {
  one_waited_for,
  two_in_turns,
  one_in_flight,
  sums_before_the_wait,
  two_packed_in_turns,
  one_packed_in_flight
};

/// A program cannot write an operand without the check that no product reads it.
template <class Fragment>
concept HasOpenRegisters = requires(Fragment fragment) {
  fragment.registers[0] = 0;
}
|| requires(Fragment fragment) { fragment.packed()[0] = 0; };
static_assert(!HasOpenRegisters<dma::MatrixFragment<Half>>);

/// Products with A in registers in a loop, some of which are in flight when the next operand is made.
template <Operands operands>
struct RegisterProducts {
  using Layout = dma::WarpLayout<dma::Compute<4>>;
  using B = Operand<Half, Major::k, Swizzle::bytes_128, 8>::Pattern;
  struct Shared {
    alignas(1024) std::uint16_t b[B::tile_bytes / 2];
  };

  void operator()(dma::KernelCta<RegisterProducts>& cta, float* sum) const {
    auto& shared = cta.template shared<Shared>();
    for (int i = cta.thread(); i < B::tile_bytes / 2; i += 128) {
      shared.b[i] = HalfFloat<Half>::from_float(1);
    }
    cta.sync();
    const dma::AsyncReads reads;
    dma::MatrixSums<64, 8> sums;
    const auto b = dma::matrix_descriptor<Major::k, B>(shared.b);
    dma::MatrixFragment<Half> a[2][1];
    for (int t = 0; t < 4; ++t) {
      constexpr bool takes_turns = operands == Operands::two_in_turns || operands == Operands::sums_before_the_wait ||
                                   operands == Operands::two_packed_in_turns;
      constexpr bool is_packed =
          operands == Operands::two_packed_in_turns || operands == Operands::one_packed_in_flight;
      auto& operand = a[takes_turns ? t % 2 : 0];
      dma::unrolled<4>([&](auto r) {
        if constexpr (is_packed) {
          operand[0].set_packed(r, HalfFloat<Half>::from_float(1) * 0x10001U);
        } else {
          operand[0].set(2 * r, 1, 1);
        }
      });
      dma::multiply_add(sums, operand, b);
      reads.commit();
      if constexpr (operands == Operands::one_waited_for) {
        reads.wait<0>(sums);
      } else {
        reads.wait<1>();
      }
    }
    if constexpr (operands != Operands::sums_before_the_wait) {
      reads.wait<0>();
    }
    sums.for_each([&](int, int, float value) { *sum = value; });
    reads.wait<0>();
  }
};

}  // namespace

TEMPLATE_TEST_CASE("A host multiplies matrices of each swizzle, contiguous in each index", "",
                   (Layouts<Major::k, Swizzle::bytes_128, Major::k, Swizzle::bytes_128>),
                   (Layouts<Major::mn, Swizzle::bytes_128, Major::mn, Swizzle::bytes_128, Half>),
                   (Layouts<Major::k, Swizzle::bytes_64, Major::mn, Swizzle::bytes_64>),
                   (Layouts<Major::mn, Swizzle::bytes_64, Major::k, Swizzle::bytes_64>),
                   (Layouts<Major::k, Swizzle::bytes_32, Major::mn, Swizzle::bytes_32, Half>),
                   (Layouts<Major::mn, Swizzle::bytes_32, Major::k, Swizzle::bytes_32>),
                   (Layouts<Major::k, Swizzle::none, Major::mn, Swizzle::none>),
                   (Layouts<Major::mn, Swizzle::none, Major::k, Swizzle::none>)) {
  using A = typename TestType::OfA;
  CHECK(wrong_elements<A, typename TestType::template OfB<64>, 64>(0, 0) == 0);
  CHECK(wrong_elements<A, typename TestType::template OfB<192>, 128>(64, 16) == 0);
}

TEST_CASE("A host multiplies elements of one byte of each swizzle", "") {
  using Wide = Operand<E4m3, Major::k, Swizzle::bytes_128, 128>;
  CHECK(wrong_elements<Wide, Operand<E4m3, Major::k, Swizzle::bytes_128, 64>, 64>(0, 0) == 0);
  CHECK(wrong_elements<Wide, Operand<E4m3, Major::k, Swizzle::bytes_64, 40>, 8>(64, 64) == 0);
  using Narrow = Operand<E5m2, Major::k, Swizzle::bytes_32, 128>;
  CHECK(wrong_elements<Narrow, Operand<E5m2, Major::k, Swizzle::none, 24>, 24>(8, 32) == 0);
}

TEST_CASE("Elements of one byte have the values of the toolkit's types", "") {
  CHECK(wrong_bytes<E4m3>(4, [](int bits) { return bits % 128 != 127; }) == 0);
  CHECK(wrong_bytes<E5m2>(5, [](int bits) { return bits % 128 < 124; }) == 0);
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

TEST_CASE("Registers of products in flight are not touched", "") {
  float sum = 0;
  dma::host::launch(RegisterProducts<Operands::one_waited_for>{}, {1}, &sum);
  CHECK(sum == 64);
  dma::host::launch(RegisterProducts<Operands::two_in_turns>{}, {1}, &sum);
  CHECK(sum == 64);
  CHECK_THROWS_WITH(dma::host::launch(RegisterProducts<Operands::one_in_flight>{}, {1}, &sum),
                    ContainsSubstring("dma::MatrixFragment: an operand in registers is changed, or its scope ends"));
  dma::host::launch(RegisterProducts<Operands::two_packed_in_turns>{}, {1}, &sum);
  CHECK(sum == 64);
  CHECK_THROWS_WITH(dma::host::launch(RegisterProducts<Operands::one_packed_in_flight>{}, {1}, &sum),
                    ContainsSubstring("dma::MatrixFragment: an operand in registers is changed, or its scope ends"));
  CHECK_THROWS_WITH(dma::host::launch(RegisterProducts<Operands::sums_before_the_wait>{}, {1}, &sum),
                    ContainsSubstring("dma::MatrixSums: sums are used while a product may still add to them"));
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
    wrong += HalfFloat<BFloat16>::from_float(value) != static_cast<__nv_bfloat16_raw>(brain).x ? 1 : 0;
    wrong += HalfFloat<Half>::from_float(value) != static_cast<__half_raw>(ieee).x ? 1 : 0;
  }
  for (int bits = 0; bits < 0x10000; ++bits) {
    __half_raw raw;
    raw.x = static_cast<unsigned short>(bits);
    const float theirs = __half2float(__half(raw));
    const float ours = HalfFloat<Half>::to_float(raw.x);
    wrong += theirs == ours || (theirs != theirs && ours != ours) ? 0 : 1;
  }
  CHECK(wrong == 0);
}
#endif
