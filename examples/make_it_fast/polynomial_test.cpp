// Both kernels compute the same. What tells them apart, a stack frame, is tested in tests/codegen.

#include "polynomial.hpp"

#include <dma/host/launch.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <vector>

TEST_CASE("an element is picked by a number") {
  const float values[] = {3, 1, 4, 1, 5};
  for (int i = 0; i < 5; ++i) {
    REQUIRE(pick(values, i) == values[i]);
  }
}

TEST_CASE("both polynomials are those of their coefficients") {
  constexpr int tiles = 3;
  const std::vector<float> p{1, 2, 0, 1, 0, 0, 0, 1};
  std::vector<float> x(static_cast<std::size_t>(tiles) * 2048);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i % 5);
  }
  std::vector<float> by_constants(x.size());
  std::vector<float> by_numbers(x.size());
  for (const int degree : {7, 4, 0}) {
    dma::host::launch(Polynomial<true>{}, {2}, x.data(), by_constants.data(), p.data(), degree, tiles);
    dma::host::launch(Polynomial<false>{}, {2}, x.data(), by_numbers.data(), p.data(), degree, tiles);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float at = x[i];
      const float expected =
          (degree < 1 ? 1 : 1 + 2 * at + at * at * at) + (degree < 7 ? 0 : at * at * at * at * at * at * at);
      REQUIRE(by_constants[i] == expected);
      REQUIRE(by_numbers[i] == expected);
    }
  }
}
