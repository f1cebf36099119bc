// The README's kernel body, run on the emulator and proved.

#include "../scale/body.hpp"

#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <numeric>
#include <vector>

// clang-format off

using dma::proof::IsProved;

TEST_CASE("scale multiplies every element") {
  const int tiles = 3 * Scale::Pipe::stages + 1;  // as many as a proof needs
  std::vector<float> x(tiles * Scale::Tile::count), y(x.size());
  std::iota(x.begin(), x.end(), 1.0F);
  dma::host::launch(Scale{}, {2}, x.data(), y.data(), 2.0F, tiles);  // two CTAs
  for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(y[i] == 2 * x[i]);
}

TEST_CASE("a tile behind the array is refused") {
  std::vector<float> x(3 * Scale::Tile::count), y(x.size());
  REQUIRE_THROWS_AS(
      dma::host::launch({.inputs = {dma::proof::input(x)}, .outputs = {dma::proof::output(y)}},
                        Scale{}, {2}, x.data(), y.data(), 2.0F, 4),
      dma::host::OutOfBounds);
}

TEST_CASE("scale is right under every schedule, for any number of tiles") {
  const int most = 3 * Scale::Pipe::stages + 1;  // tiles of a proof
  std::vector<float> x(most * Scale::Tile::count, 1.0F), y(x.size());
  REQUIRE_THAT(dma::proof::for_all_trips<Scale::Pipe>([&](int tiles) {
                 return dma::proof::prove({.inputs = {dma::proof::input(x)}, .outputs = {dma::proof::output(y)}},
                                          Scale{}, {1}, x.data(), y.data(), 2.0F, tiles);
               }),
               IsProved());
}
