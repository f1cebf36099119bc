// Each kernel is right where nothing is wrong with it. What is found where something is: docs/site/prove.

#include "../../applications/half_types.hpp"

#include <dma/dma.hpp>
#include <dma/matrix/multiply_add.hpp>

namespace partial {
#include "partial.hpp"
}
namespace two {
#include "two.hpp"
}
namespace triangle {
#include "triangle.hpp"
}
namespace both_ways {
#include "../break_more/both_ways.hpp"
}
namespace ahead {
#include "../break_more/ahead.hpp"
}
namespace products {
#include "../break_more/products.hpp"
}
namespace pairs {
#include "../break_more/pairs.hpp"
}

#include <dma/host/launch.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <numeric>
#include <vector>

namespace {

std::vector<float> ramp(std::size_t count) {
  std::vector<float> x(count);
  std::iota(x.begin(), x.end(), 1.0F);
  return x;
}

}  // namespace

TEST_CASE("twice a vector of any length") {
  const std::vector<float> x = ramp(3 * 256);
  for (const int n : {0, 1, 256, 700}) {
    std::vector<float> y(x.size());
    dma::host::launch(partial::Twice<partial::Mistake::none>{}, {1}, x.data(), y.data(), n);
    for (std::size_t i = 0; i < y.size(); ++i) {
      REQUIRE(y[i] == (i < static_cast<std::size_t>(n) ? 2 * x[i] : 0));
    }
  }
}

TEST_CASE("the sum of two vectors") {
  const std::vector<float> x = ramp(5 * 128);
  const std::vector<float> y(x.rbegin(), x.rend());
  std::vector<float> z(x.size());
  dma::host::launch(two::Add<two::Mistake::none>{}, {1}, x.data(), y.data(), z.data(), 5);
  REQUIRE(z == std::vector<float>(x.size(), 1.0F + static_cast<float>(x.size())));
}

TEST_CASE("the sums of two rows of a triangle") {
  const std::vector<float> x(std::size_t{64} * 64, 1.0F);
  for (const int rows : {1, 40, 64}) {
    std::vector<float> sums(64);
    dma::host::launch(triangle::SumRows<triangle::Mistake::none>{}, {1}, x.data(), sums.data(), rows);
    for (int row = 0; row < 64; ++row) {
      REQUIRE(sums[static_cast<std::size_t>(row)] == (row < rows ? static_cast<float>(2 * row + 1) : 0));
    }
  }
}

TEST_CASE("twice a vector, by a DMA warp for each direction") {
  const std::vector<float> x = ramp(5 * 128);
  std::vector<float> y(x.size());
  dma::host::launch(both_ways::BothWays<both_ways::Mistake::none>{}, {1}, x.data(), y.data(), 5);
  for (std::size_t i = 0; i < x.size(); ++i) {
    REQUIRE(y[i] == 2 * x[i]);
  }
}

TEST_CASE("the differences of tiles that follow one another") {
  std::vector<float> x = ramp(5 * 256);
  for (float& value : x) {
    value *= value;
  }
  std::vector<float> y(x.size());
  dma::host::launch(ahead::Differences<ahead::Mistake::none>{}, {1}, x.data(), y.data(), 5);
  for (std::size_t i = 256; i < x.size(); ++i) {
    REQUIRE(y[i] == x[i] - x[i - 256]);
  }
}

TEST_CASE("the sums of pairs of tiles, of an odd number of tiles too") {
  const std::vector<float> x = ramp(7 * 64);
  std::vector<float> y(4 * 64);
  dma::host::launch(pairs::Pairs<pairs::Mistake::none>{}, {1}, x.data(), y.data(), 7);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t first = i / 64 * 128 + i % 64;
    REQUIRE(y[i] == (i < 3 * 64 ? x[first] + x[first + 64] : 0));
  }
}

TEST_CASE("a product of small integers") {
  using Kernel = products::Product<products::Mistake::none>;
  constexpr int blocks = 3;
  constexpr std::size_t k = blocks * Kernel::block;
  std::vector<__nv_bfloat16> a(64 * k), b(8 * k);
  const auto of_a = [](std::size_t m, std::size_t i) { return static_cast<float>((m + 3 * i) % 7) - 3; };
  const auto of_b = [](std::size_t n, std::size_t i) { return static_cast<float>((5 * n + i) % 5) - 2; };
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t m = 0; m < 64; ++m) a[m * k + i] = of_a(m, i);
    for (std::size_t n = 0; n < 8; ++n) b[n * k + i] = of_b(n, i);
  }
  std::vector<float> c(std::size_t{64} * 8);
  const auto shape = Kernel::stage(blocks, 0);
  const auto map = dma::host::tensor_map<Kernel::Stage>(dma::TensorArray{a.data(), shape.part<0>()},
                                                        dma::TensorArray{b.data(), shape.part<1>()});
  dma::host::launch(Kernel{}, {1}, map, c.data(), blocks);
  for (std::size_t m = 0; m < 64; ++m) {
    for (std::size_t n = 0; n < 8; ++n) {
      float sum = 0;
      for (std::size_t i = 0; i < k; ++i) sum += of_a(m, i) * of_b(n, i);
      REQUIRE(c[m * 8 + n] == sum);
    }
  }
}
