// A user's test of a pattern with padding: its laws, and a convolution with zeros outside its input.

#include "window.hpp"
#include "smooth.hpp"

#include <dma/host/launch.hpp>
#include <dma/host/laws.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <vector>

TEST_CASE("a window keeps the laws of patterns wherever it begins", "[custom_pattern]") {
  for (const int length : {0, 1, 20, 24, 100}) {
    for (int first = -30; first <= length + 6; ++first) {
      INFO("length " << length << ", first " << first);
      REQUIRE(dma::host::broken_law(Window<24>{length, first}) == "");
    }
  }
}

TEST_CASE("a kernel smooths an array with zeros outside", "[custom_pattern]") {
  for (const int n : {1, 2, 127, 128, 129, 1000}) {
    std::vector<float> x(static_cast<std::size_t>(n));
    std::vector<float> y(x.size(), -1.0F);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<float>(i * i % 61);
    }
    dma::host::launch(Smooth{}, {1}, x.data(), y.data(), n);
    for (int i = 0; i < n; ++i) {
      const float left = i > 0 ? static_cast<float>((i - 1) * (i - 1) % 61) : 0.0F;
      const float right = i + 1 < n ? static_cast<float>((i + 1) * (i + 1) % 61) : 0.0F;
      REQUIRE(y[static_cast<std::size_t>(i)] == left + 2 * static_cast<float>(i * i % 61) + right);
    }
  }
}
