// A user's test of a buffering. The declared number of CTAs fits an SM, and with one stage more it would not. A kernel
// over it computes the right result on the emulator and is proved for every schedule.

#include "stages_for_ctas.hpp"
#include "../scale_tiles.hpp"

#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <vector>

namespace {

using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;

static_assert(dma::Buffering<StagesForCtas<Warps, 2>>);

/// Bytes of an SM's shared memory that `ctas` CTAs of this kernel use, with `more` additional stages each.
template <class Kernel>
constexpr int bytes_of_ctas(int ctas, int more = 0) {
  constexpr int slot_bytes = (Kernel::Tile::tile_bytes + 127) / 128 * 128;
  return ctas * (1024 + int{sizeof(typename Kernel::Shared)} + more * (slot_bytes + 16));
}
template <int Ctas, int Elements>
constexpr bool fits_exactly() {
  using Pipe = dma::DmaPipeline<dma::Sequential<float, Elements>, StagesForCtas<Warps, Ctas>>;
  using Kernel = ScaleTiles<Pipe, Ctas>;
  constexpr int bytes_of_sm = 228 * 1024;
  return bytes_of_ctas<Kernel>(Ctas) <= bytes_of_sm && bytes_of_ctas<Kernel>(Ctas, 1) > bytes_of_sm;
}
static_assert(fits_exactly<1, 1024>() && fits_exactly<2, 1024>() && fits_exactly<3, 1024>());
static_assert(fits_exactly<4, 768>() && fits_exactly<8, 1000>() && fits_exactly<16, 96>());

using Tile = dma::Sequential<float, 1024>;
using Pipe = dma::DmaPipeline<Tile, StagesForCtas<Warps, 8>>;
static_assert(dma::explain<Pipe>().stages == 6);
static_assert(dma::explain<Pipe>().bytes_in_flight == 6 * 4096);

// There are fewer named barriers than stages that would fit.
using Named = dma::DmaPipeline<Tile, StagesForCtas<Warps, 2>, dma::NamedBarrier>;
static_assert(dma::explain<Named>().stages == 7);

}  // namespace

TEST_CASE("a kernel computes over a user-defined buffering") {
  std::vector<float> x(16 * 1024);
  std::vector<float> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i);
  }
  dma::host::launch(ScaleTiles<Pipe, 8>{}, {2}, x.data(), y.data(), 16, Tile::count, Tile{});
  for (std::size_t i = 0; i < x.size(); ++i) {
    REQUIRE(y[i] == 2 * x[i]);
  }
}

TEST_CASE("a kernel over a user-defined buffering is right under every schedule") {
  std::vector<float> x(20 * 1024);
  std::vector<float> y(x.size());
  REQUIRE_THAT(dma::proof::for_all_trips<Pipe>([&](int tiles) {
                 return dma::proof::prove({.inputs = {dma::proof::input(x)}, .outputs = {dma::proof::output(y)}},
                                          ScaleTiles<Pipe, 8>{}, {1}, x.data(), y.data(), tiles, Tile::count, Tile{});
               }),
               dma::proof::IsProved());
}
