// A user's test of a pattern: its laws, and what a kernel computes with it on the host's CTA.

#include "triangle.hpp"

#include <dma/host/launch.hpp>
#include <dma/host/laws.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <vector>

namespace {

/// Sums the lower triangle of each of a row of blocks.
struct SumTriangles {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Tile = LowerTriangle<24>;
  using Pipe = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Layout>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<SumTriangles>& cta, const float* matrix, int blocks,
                                  float* sums) const {
    const Tile tile{.pitch_bytes = blocks * 24 * 4};
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        0, blocks, 1, [&](const auto& dma, int b) { dma.load(matrix + b * 24, tile); },
        [&](const auto& compute, int b) {
          const auto triangle = compute.wait(tile);
          float sum = 0;
          for (int i = 0; compute.rank() == 0 && i < triangle.size(); ++i) {
            sum += triangle[i];
          }
          if (compute.rank() == 0) {
            sums[b] = sum;
          }
        });
  }
};

}  // namespace

TEST_CASE("a lower triangle keeps the laws of patterns", "[custom_pattern]") {
  for (int rows = 0; rows <= 24; ++rows) {
    REQUIRE(dma::host::broken_law(LowerTriangle<24>{400, rows}) == "");
  }
}

TEST_CASE("a kernel sums lower triangles", "[custom_pattern]") {
  constexpr int blocks = 5;
  std::vector<float> matrix(24 * 24 * blocks);
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    matrix[i] = static_cast<float>(i % 17);
  }
  std::vector<float> sums(blocks);
  dma::host::launch(SumTriangles{}, {1}, matrix.data(), blocks, sums.data());
  for (int block = 0; block < blocks; ++block) {
    float expected = 0;
    for (int row = 0; row < 24; ++row) {
      for (int col = 0; col <= row; ++col) {
        expected += matrix[static_cast<std::size_t>(row * blocks * 24 + block * 24 + col)];
      }
    }
    REQUIRE(sums[static_cast<std::size_t>(block)] == expected);
  }
}
