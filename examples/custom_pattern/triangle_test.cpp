// A user's test of two patterns: their laws, and what a kernel computes with them on the emulator.

#include "triangle.hpp"
#include "folded_triangle.hpp"

#include <dma/host/launch.hpp>
#include <dma/host/laws.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <vector>

namespace {

/// Sums the lower triangle of each of a row of blocks.
template <class Tile>
struct SumTriangles {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Element = typename Tile::Element;
  using Pipe = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Layout>>;
  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SumTriangles>& cta, const Element* matrix, int blocks,
                                  Element* sums) const {
    const Tile tile{.pitch_bytes = blocks * 24LL * int{sizeof(Element)}};
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    pipe.for_each_tile(
        {.last = blocks}, [&](const auto& dma, int b) { dma.load(matrix + b * 24, tile); },
        [&](const auto& compute, int b) {
          const auto triangle = compute.wait(tile);
          Element sum = 0;
          for (int i = 0; compute.rank() == 0 && i < triangle.size(); ++i) {
            sum = static_cast<Element>(sum + triangle[i]);
          }
          if (compute.rank() == 0) {
            sums[b] = sum;
          }
        });
  }
};

using RunByRun = SumTriangles<LowerTriangle<24>>::Pipe;
static_assert(dma::explain<RunByRun>(LowerTriangle<24>{4096}).steps == 24);
static_assert(dma::explain<RunByRun>(LowerTriangle<24>{4096}).is_coalesced());

using Folded = SumTriangles<FoldedTriangle<24>>::Pipe;
static_assert(dma::explain<Folded>(FoldedTriangle<24>{4096}).steps == 0);
static_assert(!dma::explain<Folded>(FoldedTriangle<24>{4096}).is_fast());

/// Stores blocks of triangles: element (row, col) of block b is b + 7 row + col.
struct FillTriangles {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Tile = FoldedTriangle<9>;
  using Pipe = dma::DmaPipeline<dma::Store<Tile>, dma::ManualDoubleBuffer<Layout>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<FillTriangles>& cta, unsigned short* matrix, int blocks) const {
    const Tile tile{.pitch_bytes = blocks * 9 * 2};
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        {.last = blocks}, [&](const auto& dma, int b) { dma.store(matrix + b * 9, tile); },
        [&](const auto& compute, int b) {
          const auto triangle = compute.wait(tile);
          for (int i = compute.rank(); i < 9 * 9; i += compute.size()) {
            const int row = i / 9;
            const int col = i % 9;
            if (col <= row) {
              triangle(row, col) = static_cast<unsigned short>(b + 7 * row + col);
            }
          }
        });
  }
};

/// Sums of the triangles of 5 blocks, by the kernel and by a loop.
template <class Tile>
void check_sums() {
  using Element = typename Tile::Element;
  constexpr int blocks = 5;
  std::vector<Element> matrix(24 * 24 * blocks);
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    matrix[i] = static_cast<Element>(i % 17);
  }
  std::vector<Element> sums(blocks);
  dma::host::launch(SumTriangles<Tile>{}, {1}, matrix.data(), blocks, sums.data());
  for (int block = 0; block < blocks; ++block) {
    int expected = 0;
    for (int row = 0; row < 24; ++row) {
      for (int col = 0; col <= row; ++col) {
        expected += static_cast<int>(matrix[static_cast<std::size_t>(row * blocks * 24 + block * 24 + col)]);
      }
    }
    REQUIRE(sums[static_cast<std::size_t>(block)] == static_cast<Element>(expected));
  }
}

}  // namespace

TEST_CASE("a lower triangle keeps the laws of patterns", "[custom_pattern]") {
  for (int rows = 0; rows <= 24; ++rows) {
    REQUIRE(dma::host::broken_law(LowerTriangle<24>{400, rows}) == "");
  }
}

TEST_CASE("a folded triangle's own transfer moves exactly its runs", "[custom_pattern]") {
  for (int rows = 0; rows <= 24; ++rows) {
    REQUIRE(dma::host::broken_law(FoldedTriangle<24>{400, rows}) == "");
  }
  for (int rows = 0; rows <= 7; ++rows) {
    REQUIRE(dma::host::broken_law(FoldedTriangle<7>{-400, rows}) == "");
  }
}

TEST_CASE("a kernel sums lower triangles", "[custom_pattern]") { check_sums<LowerTriangle<24>>(); }
TEST_CASE("a kernel sums folded triangles", "[custom_pattern]") { check_sums<FoldedTriangle<24>>(); }

TEST_CASE("a kernel stores folded triangles, and nothing beside them", "[custom_pattern]") {
  constexpr int blocks = 4;
  std::vector<unsigned short> matrix(9 * 9 * blocks, 999);
  dma::host::launch(FillTriangles{}, {1}, matrix.data(), blocks);
  for (int i = 0; i < 9 * 9 * blocks; ++i) {
    const int row = i / (9 * blocks);
    const int block = i % (9 * blocks) / 9;
    const int col = i % 9;
    REQUIRE(matrix[static_cast<std::size_t>(i)] == (col <= row ? block + 7 * row + col : 999));
  }
}
