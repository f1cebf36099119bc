#include <dma/dma.hpp>
#include <dma/host/launch.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <stdexcept>
#include <vector>

using Catch::Matchers::ContainsSubstring;

namespace {

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;

template <class Pattern>
struct LoadsOnce {
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<Pattern, dma::SingleBuffer<Warps>>;
  struct Shared {
    typename Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<LoadsOnce>& cta, const float* in, const Pattern& tile) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    if (pipe.is_dma()) {
      pipe.as_dma().load(in, tile);
    } else {
      pipe.as_compute().wait(tile).release();
    }
  }
};

struct AsksForTheWrongRole {
  using Layout = Warps;
  using Pipe = dma::DmaPipeline<dma::Sequential<float, 32>, dma::SingleBuffer<Warps>>;
  struct Shared {
    Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<AsksForTheWrongRole>& cta) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    static_cast<void>(pipe.as_dma());
  }
};

struct SmallerThanItsPipeline {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  using Pipe = dma::DmaPipeline<dma::Sequential<float, 32>, dma::SingleBuffer<Warps>>;
  struct Shared {
    Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<SmallerThanItsPipeline>& cta) const { Pipe pipe(cta, cta.shared<Shared>().storage); }
};

struct RefusesItsArguments {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  static void expects(int n) {
    if (n < 0) {
      throw std::invalid_argument("n must not be negative");
    }
  }
  void operator()(const dma::Cta&, int) const {}
};

}  // namespace

TEST_CASE("a misaligned source is named with the rule and the way out", "[contracts]") {
  alignas(16) const float in[256] = {};
  using Tile = dma::Sequential<float, 32>;
  REQUIRE_NOTHROW(dma::host::launch(LoadsOnce<Tile>{}, {1}, in + 4, Tile{}));
  REQUIRE_THROWS_WITH(dma::host::launch(LoadsOnce<Tile>{}, {1}, in + 1, Tile{}),
                      ContainsSubstring("not a multiple of the pattern's run_alignment"));
}

TEST_CASE("a tile that its pattern cannot hold is refused", "[contracts]") {
  alignas(16) const float in[256] = {};
  using Tile = dma::Sequential<float, 32>;
  REQUIRE_THROWS_WITH(dma::host::launch(LoadsOnce<Tile>{}, {1}, &in[0], Tile{33}),
                      ContainsSubstring("larger than its pattern"));
  REQUIRE_THROWS_WITH(dma::host::launch(LoadsOnce<Tile>{}, {1}, &in[0], Tile{-1}),
                      ContainsSubstring("larger than its pattern"));
  using Block = dma::Strided<float, 8, 4>;
  REQUIRE_NOTHROW(dma::host::launch(LoadsOnce<Block>{}, {1}, &in[0], Block{48, 3, 4}));
  REQUIRE_THROWS_WITH(dma::host::launch(LoadsOnce<Block>{}, {1}, &in[0], Block{44}),
                      ContainsSubstring("breaks the pattern's alignment"));
  REQUIRE_THROWS_WITH(dma::host::launch(LoadsOnce<Block>{}, {1}, &in[0], Block{48, 3, 3}),
                      ContainsSubstring("breaks the pattern's alignment"));
}

TEST_CASE("a warp that asks for another's role is told to ask first", "[contracts]") {
  REQUIRE_THROWS_WITH(dma::host::launch(AsksForTheWrongRole{}, {1}), ContainsSubstring("ask is_dma() first"));
}

TEST_CASE("a CTA that is not the pipeline's layout is refused", "[contracts]") {
  REQUIRE_THROWS_WITH(dma::host::launch(SmallerThanItsPipeline{}, {1}), ContainsSubstring("launch Layout::threads"));
}

TEST_CASE("a kernel body's own expectations are checked before it runs", "[contracts]") {
  REQUIRE_NOTHROW(dma::host::launch(RefusesItsArguments{}, {1}, 0));
  REQUIRE_THROWS_AS(dma::host::launch(RefusesItsArguments{}, {1}, -1), std::invalid_argument);
}

TEST_CASE("outside a CTA the library says so", "[contracts]") {
  REQUIRE_THROWS_WITH(dma::this_cta().sync(), ContainsSubstring("run the kernel body through dma::host::launch"));
}
