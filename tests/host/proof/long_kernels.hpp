#pragma once

#include <dma/dma.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <ctime>
#include <vector>

/// Proofs of kernels with thousands of tiles: the time for each tile does not grow with their number.
namespace long_kernels {

/// Three warps that copy tiles.
struct CopiesTiles {
  using Tile = dma::Sequential<float, 64>;
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };

  void operator()(dma::KernelCta<CopiesTiles>& cta, const float* in, float* out, int tiles) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        {.last = tiles}, [&](const auto& dma, int t) { dma.load(in + t * Tile::count); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait();
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            out[t * Tile::count + i] = tile[i];
          }
        });
  }
};

struct Proof {
  std::size_t operations;
  double seconds;  ///< of the processor
};
inline Proof prove(int tiles) {
  const auto count = static_cast<std::size_t>(tiles) * static_cast<std::size_t>(CopiesTiles::Tile::count);
  std::vector<float> in(count, 1), out(count);
  const std::clock_t start = std::clock();
  const auto verdict = dma::proof::prove({.inputs = {dma::proof::input(in)}, .outputs = {dma::proof::output(out)}},
                                         CopiesTiles{}, {1}, in.data(), out.data(), tiles);
  CAPTURE(tiles, verdict);
  REQUIRE(verdict.is_proved());
  REQUIRE(verdict.runs == 6);
  return {verdict.operations, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC};
}

// Another sanitizer, or a compiler that does not optimize, has other costs.
#if defined(__SANITIZE_ADDRESS__) || (defined(__SANITIZE_THREAD__) && !defined(DMA_EVERY_ACCESS)) || \
    !defined(__OPTIMIZE__)
inline constexpr int scale = 10;
#else
inline constexpr int scale = 1;
#endif

/// A machine that does other work may disturb one measurement, but not each.
inline void expect_linear() {
  constexpr int few = 500 / scale;
  constexpr int many = 4000 / scale;
  const std::size_t for_a_tile = prove(4).operations - prove(3).operations;
  double ratio = 0;
  double seconds = 0;
  for (int attempt = 0; attempt < 3 && (attempt == 0 || ratio > 1.5 || seconds > 8); ++attempt) {
    const Proof some = prove(few);
    const Proof all = prove(many);
    REQUIRE(all.operations == some.operations + static_cast<std::size_t>(many - few) * for_a_tile);
    ratio = all.seconds / many / (some.seconds / few);
    seconds = all.seconds;
  }
  CAPTURE(ratio, seconds);
  REQUIRE((ratio < 1.5 || scale > 1));
  REQUIRE((seconds < 8 || scale > 1));
}

}  // namespace long_kernels
