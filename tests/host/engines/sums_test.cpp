#include <dma/dma.hpp>
#include <dma/host/host_copy.hpp>
#include <dma/host/launch.hpp>

#include "kernels/sums.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace {

template <class Shape, class Barrier, class Engine>
int wrong_sums() {
  using Body = sums::Body<Shape, Barrier, Engine>;
  using Element = typename Shape::Element;
  std::vector<Element> before(sums::rows * sums::pitch);
  for (std::size_t i = 0; i < before.size(); ++i) {
    before[i] = sums::before<Element>(static_cast<int>(i));
  }
  std::vector<Element> array = before;
  const dma::host::LaunchOptions seed{7};
  if constexpr (dma::detail::TakesArrays<Engine, typename Body::Store>) {
    const auto map = dma::host::tensor_map<typename Shape::Tile>(array.data(), Shape::tile(0));
    dma::host::launch(seed, Body{}, {sums::ctas}, &map);
  } else {
    dma::host::launch(seed, Body{}, {sums::ctas}, array.data());
  }
  return sums::count_wrong<Shape>(array.data(), before.data());
}

}  // namespace

TEMPLATE_TEST_CASE("a store that adds yields the sum of what all CTAs stored", "[protocol][engines]", int, unsigned,
                   long long, float, double) {
  using Lines = sums::Lines<TestType>;
  using Blocks = sums::Blocks<TestType>;
  using Boxes = sums::Boxes<TestType>;
  REQUIRE(wrong_sums<Lines, dma::NamedBarrier, dma::RegisterCopy<>>() == 0);
  REQUIRE(wrong_sums<Blocks, dma::NamedBarrier, dma::host::HostCopy>() == 0);
  REQUIRE(wrong_sums<Boxes, dma::CudaBarrier, dma::host::HostCopy>() == 0);
  REQUIRE(wrong_sums<Lines, dma::CudaBarrier, dma::BulkCopy<>>() == 0);
  REQUIRE(wrong_sums<Blocks, dma::CudaBarrier, dma::AsyncCopy<>>() == 0);
  REQUIRE(wrong_sums<Blocks, dma::CudaBarrier, dma::BulkCopy<>>() == 0);
  REQUIRE(wrong_sums<Boxes, dma::CudaBarrier, dma::RegisterCopy<>>() == 0);
  REQUIRE(wrong_sums<Boxes, dma::NamedBarrier, dma::TensorCopy<>>() == 0);
}

#if __has_include(<cuda_bf16.h>)
TEMPLATE_TEST_CASE("a store that adds takes two-byte floats", "[protocol][engines]", __half, __nv_bfloat16) {
  REQUIRE(wrong_sums<sums::Lines<TestType>, dma::NamedBarrier, dma::RegisterCopy<>>() == 0);
  REQUIRE(wrong_sums<sums::Blocks<TestType>, dma::CudaBarrier, dma::BulkCopy<>>() == 0);
  REQUIRE(wrong_sums<sums::Boxes<TestType>, dma::CudaBarrier, dma::TensorCopy<>>() == 0);
}

TEMPLATE_TEST_CASE("two-byte floats have the values and the rounding of CUDA's conversions", "[engines]", __half,
                   __nv_bfloat16) {
  using Half = dma::machine::HalfFloat<TestType>;
  constexpr bool is_half = std::is_same_v<TestType, __half>;
  const auto same = [](float one, float other) { return std::memcmp(&one, &other, sizeof one) == 0; };
  int wrong = 0;
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    TestType value;
    const auto short_bits = static_cast<std::uint16_t>(bits);
    std::memcpy(static_cast<void*>(&value), &short_bits, sizeof value);
    const float wide = Half::to_float(short_bits);
    wrong += wide != wide ? (static_cast<float>(value) == static_cast<float>(value) ? 1 : 0)
                          : (same(wide, static_cast<float>(value)) ? 0 : 1);
    // Between this value and the next: below the middle, on it, and above it.
    const float next = Half::to_float(static_cast<std::uint16_t>(bits + 1));
    for (const float part : {0.0F, 0.25F, 0.499F, 0.5F, 0.501F, 1.0F}) {
      const float between = wide + (next - wide) * part;
      TestType rounded;
      if constexpr (is_half) {
        rounded = __float2half_rn(between);
      } else {
        rounded = __float2bfloat16_rn(between);
      }
      std::uint16_t expected;
      std::memcpy(&expected, &rounded, sizeof expected);
      wrong += Half::from_float(between) == expected ? 0 : 1;
    }
  }
  REQUIRE(wrong == 0);
  REQUIRE(dma::detail::is_nan(sums::of_bits<TestType>(0x7fff)));
  REQUIRE_FALSE(dma::detail::is_nan(sums::of_bits<TestType>(0x3c00)));
}

TEMPLATE_TEST_CASE("sums of two-byte floats are rounded once, to the nearest, ties to even", "[engines]", __half,
                   __nv_bfloat16) {
  constexpr int pairs = 1 << 16;
  std::vector<TestType> before(pairs);
  std::vector<TestType> terms(pairs);
  for (int i = 0; i < pairs; ++i) {
    before[static_cast<std::size_t>(i)] = sums::of_bits<TestType>(sums::first_term(i));
    terms[static_cast<std::size_t>(i)] = sums::of_bits<TestType>(sums::second_term(i));
  }
  std::vector<TestType> array = before;
  using Body = sums::AddsOnce<TestType, dma::TensorCopy<>>;
  const auto map = dma::host::tensor_map<typename Body::Tile>(array.data(), Body::tile(pairs / 1024, 0));
  dma::host::launch(Body{}, {pairs / 1024}, &map, terms.data());
  REQUIRE(sums::count_wrongly_rounded(before.data(), terms.data(), array.data(), pairs) == 0);
}

#endif

TEST_CASE("a store that adds uses bulk copies where the pattern's runs are long", "[engines]") {
  using Long = dma::StoreAdd<dma::Sequential<float, 1024>>;
  using Short = dma::StoreAdd<dma::Strided<float, 8, 32>>;
  STATIC_REQUIRE(dma::stdlib::is_same_v<dma::DefaultEngine<Long, dma::CudaBarrier>, dma::BulkCopy<>>);
  STATIC_REQUIRE(dma::stdlib::is_same_v<dma::DefaultEngine<Short, dma::CudaBarrier>, dma::RegisterCopy<>>);
}
