// Each kernel is right where nothing is wrong with it. What is found where something is: docs/site/prove.

#include <dma/dma.hpp>

namespace partial {
#include "partial.hpp"
}
namespace two {
#include "two.hpp"
}
namespace triangle {
#include "triangle.hpp"
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
