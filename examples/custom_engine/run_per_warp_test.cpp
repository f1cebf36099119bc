// A user's test of an engine. It moves exactly the runs of any pattern. A kernel with it computes the right result on
// the emulator and is proved for every schedule.

#include "run_per_warp.hpp"
#include "../custom_pattern/triangle.hpp"
#include "../scale_tiles.hpp"

#include <dma/host/launch.hpp>
#include <dma/host/laws.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace {

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<2>>;
using Tile = LowerTriangle<24>;
using Pipe = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Warps>, dma::CudaBarrier, RunPerWarp>;
using Kernel = ScaleTiles<Pipe>;

// The engine does not declare how it assigns accesses to threads, so none is listed.
static_assert(dma::explain<Pipe>().steps == 0);
static_assert(!dma::explain<Pipe>().is_fast());

/// A square matrix, of which each tile is the triangle of a block.
std::vector<float> matrix(int blocks) {
  std::vector<float> x(static_cast<std::size_t>(24 * 24 * blocks));
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i % 1009);
  }
  return x;
}

}  // namespace

TEST_CASE("a user-defined engine moves exactly the runs") {
  for (int rows = 0; rows <= 24; ++rows) {
    REQUIRE(dma::host::broken_law<RunPerWarp>(LowerTriangle<24>{400, rows}) == "");
  }
  for (int elements = 0; elements <= 100; ++elements) {
    REQUIRE(dma::host::broken_law<RunPerWarp>(dma::Sequential<unsigned short, 100>{elements}) == "");
  }
  REQUIRE(dma::host::broken_law<RunPerWarp>(dma::Strided<double, 6, 9>{.pitch_bytes = 160}) == "");
  REQUIRE(dma::host::broken_law<RunPerWarp>(dma::Transpose<float, 5, 7>{.pitch_bytes = 64}) == "");
}

TEST_CASE("a user-defined engine fills the padding") {
  for (int row = -3; row < 12; ++row) {
    using Box = dma::Tile2D<float, 8, 4>;
    REQUIRE(dma::host::broken_law<RunPerWarp>(Box{64, 10, 16, row, row - 2, 7.0F}) == "");
  }
  REQUIRE(dma::host::broken_law<RunPerWarp>(
              dma::Halo2D<float, dma::HaloShape{.cols = 8, .rows = 4, .radius = 1}>{64, 10, 16, 0, 3, 5.0F}) == "");
}

TEST_CASE("a kernel computes with a user-defined engine") {
  const int blocks = 5;
  const std::vector<float> x = matrix(blocks);
  std::vector<float> y(static_cast<std::size_t>(blocks * Tile{}.size()));
  dma::host::launch(Kernel{}, {2}, x.data(), y.data(), blocks, 24LL, Tile{.pitch_bytes = blocks * 24 * 4});
  std::size_t next = 0;
  for (int b = 0; b < blocks; ++b) {
    for (int row = 0; row < 24; ++row) {
      for (int col = 0; col <= row; ++col) {
        REQUIRE(y[next++] == 2 * x[static_cast<std::size_t>(row * blocks * 24 + b * 24 + col)]);
      }
    }
  }
}

TEST_CASE("a kernel with a user-defined engine is right under every schedule") {
  std::vector<float> x = matrix(8);
  std::vector<float> y(static_cast<std::size_t>(8 * Tile{}.size()));
  REQUIRE_THAT(dma::proof::for_all_trips<Pipe>([&](int tiles) {
                 return dma::proof::prove({.inputs = {dma::proof::input(x)}, .outputs = {dma::proof::output(y)}},
                                          Kernel{}, {1}, x.data(), y.data(), tiles, 24LL,
                                          Tile{.pitch_bytes = 8 * 24 * 4});
               }),
               dma::proof::IsProved());
}

TEST_CASE("an explanation names a user-defined engine and what it cannot list") {
  constexpr auto explanation = dma::explain<Pipe>();
  REQUIRE(std::string(explanation.engine) == "RunPerWarp");
  REQUIRE(std::string(explanation.remedy).find("EngineTraits::widest_access") != std::string::npos);
  REQUIRE(explanation.run_count == 24);
  REQUIRE(explanation.stages == 2);
}
