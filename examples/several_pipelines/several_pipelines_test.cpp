// Kernels with two and with three pipelines, and of two compute groups: correct on the emulator, and proved for every
// schedule.

#include "../hand_off/softmax.hpp"
#include "../tile_queue/split_sums.hpp"
#include "add.hpp"
#include "axpy.hpp"

#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace {

std::vector<float> numbers(int count, int period) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    values[static_cast<std::size_t>(i)] = static_cast<float>(i % period);
  }
  return values;
}

}  // namespace

TEST_CASE("three pipelines give a x + y for any number of elements") {
  for (const int n : {0, 1, 1023, 1024, 5000, 13 * 1024 + 77}) {
    const std::vector<float> x = numbers(n, 101);
    const std::vector<float> y = numbers(n, 37);
    std::vector<float> z(static_cast<std::size_t>(n) + 1, -1.0F);
    dma::host::launch(Axpy{}, {2}, x.data(), y.data(), z.data(), 3.0F, n);
    for (int i = 0; i < n; ++i) {
      REQUIRE(z[static_cast<std::size_t>(i)] == static_cast<float>(3 * (i % 101) + i % 37));
    }
    REQUIRE(z[static_cast<std::size_t>(n)] == -1.0F);
  }
}

TEST_CASE("two pipelines of one DMA group give x + y") {
  constexpr int tiles = 11;
  constexpr int n = tiles * Add::Tile::count;
  const std::vector<float> x = numbers(n, 101);
  const std::vector<float> y = numbers(n, 37);
  std::vector<float> z(n, -1.0F);
  dma::host::launch(Add{}, {3}, x.data(), y.data(), z.data(), tiles);
  for (int i = 0; i < n; ++i) {
    REQUIRE(z[static_cast<std::size_t>(i)] == static_cast<float>(i % 101 + i % 37));
  }
}

TEST_CASE("two compute groups give the softmax of rows, and are proved") {
  constexpr int tiles = 7;
  std::vector<float> x = numbers(tiles * Softmax::Tile::count, 89);
  std::vector<float> y(x.size(), -1.0F);
  dma::host::launch(Softmax{}, {2}, x.data(), y.data(), tiles);
  for (std::size_t row = 0; row < x.size(); row += Softmax::cols) {
    const float* const begin = x.data() + row;
    const double most = *std::max_element(begin, begin + Softmax::cols);
    double sum = 0;
    for (int i = 0; i < Softmax::cols; ++i) {
      sum += std::exp(static_cast<double>(begin[i]) - most);
    }
    for (std::size_t i = 0; i < Softmax::cols; ++i) {
      const double expected = std::exp(static_cast<double>(begin[i]) - most) / sum;
      REQUIRE(std::abs(static_cast<double>(y[row + i]) - expected) <= 1e-5 * expected + 1e-30);
    }
  }
  REQUIRE_THAT(dma::proof::prove({.inputs = {dma::proof::input(x)}, .outputs = {dma::proof::output(y)}}, Softmax{}, {1},
                                 x.data(), y.data(), tiles),
               dma::proof::IsProved());
}

TEST_CASE("CTAs that take boxes from a counter give the sums of columns, and are proved") {
  constexpr int cols = 128;
  for (const int rows : {0, 1, 31, 32, 500, 1000}) {
    const std::vector<float> array = numbers(rows * cols, 101);
    std::vector<float> sums(cols, 5.0F);
    dma::TileCounter counter{};
    dma::host::launch(SplitSums{}, {3}, array.data(), rows, cols, sums.data(), &counter);
    REQUIRE(counter.word == 0);
    for (int col = 0; col < cols; ++col) {
      int sum = 5;
      for (int row = 0; row < rows; ++row) {
        sum += (row * cols + col) % 101;
      }
      REQUIRE(sums[static_cast<std::size_t>(col)] == static_cast<float>(sum));
    }
  }
  // One CTA with every number of boxes, and a grid that divides them.
  const std::vector<float> array = numbers(1000 * cols, 101);
  std::vector<float> sums(cols);
  dma::TileCounter counter{};
  const auto prove = [&](int ctas, int rows) {
    return dma::proof::prove({.inputs = {dma::proof::input(array)}, .outputs = {dma::proof::output(sums)}}, SplitSums{},
                             {ctas}, array.data(), rows, 64, sums.data(), &counter);
  };
  REQUIRE_THAT(
      (dma::proof::for_all_trips<SplitSums::Load, SplitSums::Add>([&](int tiles) { return prove(1, 32 * tiles); })),
      dma::proof::IsProved());
  REQUIRE_THAT(prove(3, 500), dma::proof::IsProved());
}

TEST_CASE("kernels of several pipelines are proved") {
  constexpr int tiles = 9;
  const std::vector<float> x = numbers(tiles * 1024, 101);
  const std::vector<float> y = numbers(tiles * 1024, 37);
  std::vector<float> z(x.size());
  REQUIRE_THAT(
      dma::proof::prove({.inputs = {dma::proof::input(x), dma::proof::input(y)}, .outputs = {dma::proof::output(z)}},
                        Axpy{}, {1}, x.data(), y.data(), z.data(), 3.0F, tiles * 1024 - 5),
      dma::proof::IsProved());
  REQUIRE_THAT(
      dma::proof::prove({.inputs = {dma::proof::input(x), dma::proof::input(y)}, .outputs = {dma::proof::output(z)}},
                        Add{}, {1}, x.data(), y.data(), z.data(), tiles),
      dma::proof::IsProved());
}
