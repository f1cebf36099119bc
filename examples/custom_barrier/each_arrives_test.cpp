// A user's test of a barrier. Kernels over it compute the right result on the emulator, with several engines and in
// both directions, and are proved for every schedule.

#include "each_arrives.hpp"
#include "../proof/neighbours.hpp"
#include "../scale_tiles.hpp"

#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace {

using Warps = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
using Tile = dma::Sequential<float, 128>;
template <class Engine, class Buffers = dma::MultiBuffer<Warps, 3>>
using Pipe = dma::DmaPipeline<Tile, Buffers, EachArrives, Engine>;

static_assert(dma::Barrier<EachArrives> && dma::PollableBarrier<EachArrives>);
static_assert(!EachArrives::supports(dma::Completion::mbarrier_complete_tx));

// The default engine is one whose completion this barrier tracks by itself.
using Default = dma::DmaPipeline<Tile, dma::MultiBuffer<Warps, 3>, EachArrives>;
static_assert(dma::explain<Default>().bytes_in_flight == 3 * 512);
static_assert(dma::explain<Default>().hardware_barriers == 0);

/// Stores tiles by bulk copies, several at a time, so that the DMA side polls the barrier.
template <class Engine>
struct CountTiles {
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<Warps, 4>, EachArrives, Engine>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<CountTiles>& cta, float* y, int tiles) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    pipe.for_each_tile(
        {.last = tiles}, [&](const auto& dma, int t) { dma.store(y + t * Tile::count); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait();
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            tile[i] = static_cast<float>(1000 * t + i);
          }
        });
  }
};

std::vector<float> numbers(int count) {
  std::vector<float> x(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i);
  }
  return x;
}

}  // namespace

TEMPLATE_TEST_CASE("loads over a user-defined barrier", "", Pipe<dma::RegisterCopy<>>, Pipe<dma::AsyncCopy<>>,
                   (Pipe<dma::AsyncCopy<>, dma::MultiBuffer<dma::WarpLayout<dma::Compute<2>>, 2>>)) {
  using Kernel = ScaleTiles<TestType>;
  std::vector<float> x = numbers(16 * 128);
  std::vector<float> y(x.size());
  for (const unsigned seed : {0U, 1U, 2U, 3U}) {
    dma::host::launch({.seed = seed}, Kernel{}, {2}, x.data(), y.data(), 16, Tile::count, Tile{});
    for (std::size_t i = 0; i < x.size(); ++i) {
      REQUIRE(y[i] == 2 * x[i]);
    }
  }
  REQUIRE_THAT(dma::proof::for_all_trips<TestType>([&](int tiles) {
                 return dma::proof::prove({.inputs = {dma::proof::input(x)}, .outputs = {dma::proof::output(y)}},
                                          Kernel{}, {1}, x.data(), y.data(), tiles, Tile::count, Tile{});
               }),
               dma::proof::IsProved());
}

TEMPLATE_TEST_CASE("stores over a user-defined barrier", "", dma::RegisterCopy<>, dma::BulkCopy<>) {
  using Kernel = CountTiles<TestType>;
  std::vector<float> y(16 * 128);
  dma::host::launch(Kernel{}, {1}, y.data(), 16);
  for (std::size_t i = 0; i < y.size(); ++i) {
    REQUIRE(y[i] == static_cast<float>(1000 * (i / 128) + i % 128));
  }
  REQUIRE_THAT(dma::proof::for_all_trips<typename Kernel::Pipe>([&](int tiles) {
                 return dma::proof::prove({.outputs = {dma::proof::output(y)}}, Kernel{}, {1}, y.data(), tiles);
               }),
               dma::proof::IsProved());
}

TEST_CASE("a trace records a user-defined barrier") {
  using Traced = dma::DmaPipeline<Tile, dma::MultiBuffer<Warps, 3>, dma::Traced<EachArrives>>;
  std::vector<float> x = numbers(4 * 128);
  std::vector<float> y(x.size());
  dma::host::launch(ScaleTiles<Traced>{}, {1}, x.data(), y.data(), 4, Tile::count, Tile{});
  REQUIRE(y[511] == 2 * x[511]);
}
