// Ranges of tiles, against numbers that are computed in another way.
#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

#include <catch2/catch_test_macros.hpp>

#include <functional>
#include <vector>

namespace {

std::vector<int> numbers(dma::TileRange tiles) {
  std::vector<int> all;
  for (const int tile : tiles) {
    all.push_back(tile);
  }
  return all;
}

struct Tiles {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  void operator()(dma::KernelCta<Tiles>& cta, int count, std::vector<int>& taken) const {
    if (cta.thread() == 0) {
      for (const int tile : cta.tiles(count)) {
        taken.at(static_cast<std::size_t>(tile)) = cta.block().x;
      }
    }
  }
};

TEST_CASE("a range of tiles has each number that is whole steps behind its first and below its last", "[kernel]") {
  for (int first = -5; first < 6; ++first) {
    for (int last = -7; last < 12; ++last) {
      for (int step = 1; step < 5; ++step) {
        std::vector<int> expected;
        for (int number = first; number < last; ++number) {
          if ((number - first) % step == 0) {
            expected.push_back(number);
          }
        }
        CAPTURE(first, last, step);
        REQUIRE(numbers({.first = first, .last = last, .step = step}) == expected);
      }
    }
  }
}

TEST_CASE("a range of tiles begins at 0 and takes every number", "[kernel]") {
  CHECK(numbers({.last = 3}) == std::vector<int>{0, 1, 2});
  CHECK(numbers({}).empty());
}

TEST_CASE("the CTAs of a grid take its tiles in turn", "[kernel]") {
  for (const int ctas : {1, 3, 5}) {
    for (const int count : {0, 1, 3, 14}) {
      std::vector<int> taken(static_cast<std::size_t>(count), -1);
      dma::host::launch(Tiles{}, {ctas}, count, std::ref(taken));
      for (int tile = 0; tile < count; ++tile) {
        CAPTURE(ctas, count, tile);
        REQUIRE(taken[static_cast<std::size_t>(tile)] == tile % ctas);
      }
    }
  }
}

}  // namespace
