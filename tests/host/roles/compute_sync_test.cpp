#include <dma/dma.hpp>
#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <type_traits>
#include <vector>

namespace {

using Specialized = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
using NotSpecialized = dma::WarpLayout<dma::Compute<2>>;

/// Compute threads add their rank to what was loaded, in the slot, and read what their neighbour made of it.
template <class WarpLayout, class Sync, bool Meets>
struct Exchange {
  using Layout = WarpLayout;
  using Tile = dma::Sequential<int, 64>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>, Sync, dma::RegisterCopy<>>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  void operator()(dma::KernelCta<Exchange>& cta, const int* in, int* out, int tiles) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    pipe.for_each_tile(
        {.last = tiles}, [&](const auto& dma, int t) { dma.load(in + t * 64); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait();
          tile[compute.rank()] += compute.rank() + 1;
          if constexpr (Meets) {
            compute.sync();
          }
          out[t * 64 + compute.rank()] = tile[(compute.rank() + 40) % 64];
        });
  }
};

template <class Layout, class Sync>
struct Case {
  template <bool Meets>
  using Kernel = Exchange<Layout, Sync, Meets>;
};

}  // namespace

TEMPLATE_TEST_CASE("compute warps synchronize without the DMA warps", "[protocol]",
                   (Case<Specialized, dma::CudaBarrier>), (Case<Specialized, dma::NamedBarrier>),
                   (Case<NotSpecialized, dma::CudaBarrier>), (Case<NotSpecialized, dma::NamedBarrier>)) {
  constexpr int tiles = 5;
  std::vector<int> in(64 * tiles);
  for (int i = 0; i < 64 * tiles; ++i) {
    in[static_cast<std::size_t>(i)] = i * i;
  }
  for (unsigned seed = 0; seed < 5; ++seed) {
    std::vector<int> out(in.size(), -1);
    dma::host::launch({.seed = seed}, typename TestType::template Kernel<true>{}, {1}, in.data(), out.data(), tiles);
    for (int i = 0; i < 64 * tiles; ++i) {
      const int source = i / 64 * 64 + (i + 40) % 64;
      REQUIRE(out[static_cast<std::size_t>(i)] == source * source + source % 64 + 1);
    }
  }
}

TEST_CASE("data that compute warps exchange in a slot is proved, and a race without synchronization is found",
          "[protocol]") {
  using Cases = Case<Specialized, dma::CudaBarrier>;
  const std::vector<int> in(64 * 3, 5);
  std::vector<int> out(in.size());
  REQUIRE_THAT(dma::proof::prove({.inputs = {dma::proof::input(in)}, .outputs = {dma::proof::output(out)}},
                                 Cases::Kernel<true>{}, {1}, in.data(), out.data(), 3),
               dma::proof::IsProved());
  REQUIRE_THAT(dma::proof::prove(Cases::Kernel<false>{}, {1}, in.data(), out.data(), 3),
               dma::proof::FailsBy(dma::proof::FindingKind::race));
}
