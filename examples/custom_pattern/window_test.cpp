// A user's test of a pattern with padding: its laws, and a convolution with zeros outside its input.

#include "window.hpp"

#include <dma/host/launch.hpp>
#include <dma/host/laws.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <vector>

namespace {

/// y[i] = x[i - 1] + 2 x[i] + x[i + 1], with zeros outside x.
struct Smooth {
  using Tile = Window<130>;  // 128 results, and one element more on both sides
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Pipe = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Layout>>;
  struct Shared {
    Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Smooth>& cta, const float* x, float* y, int n) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    const auto tile_at = [&](int i) { return Tile{.length = n, .first = i - 1}; };
    pipe.for_each_tile(
        0, n, 128, [&](const auto& dma, int i) { dma.load(x, tile_at(i)); },
        [&](const auto& compute, int i) {
          const auto tile = compute.wait(tile_at(i));
          for (int k = compute.rank(); k < 128 && i + k < n; k += compute.size()) {
            y[i + k] = tile[k] + 2 * tile[k + 1] + tile[k + 2];
          }
        });
  }
};

}  // namespace

TEST_CASE("a window keeps the laws of patterns wherever it begins", "[custom_pattern]") {
  for (const int length : {0, 1, 20, 24, 100}) {
    for (int first = -30; first <= length + 6; ++first) {
      INFO("length " << length << ", first " << first);
      REQUIRE(dma::host::broken_law(Window<24>{length, first}) == "");
    }
  }
}

TEST_CASE("a kernel smooths an array with zeros outside", "[custom_pattern]") {
  for (const int n : {1, 2, 127, 128, 129, 1000}) {
    std::vector<float> x(static_cast<std::size_t>(n));
    std::vector<float> y(x.size(), -1.0F);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<float>(i * i % 61);
    }
    dma::host::launch(Smooth{}, {1}, x.data(), y.data(), n);
    for (int i = 0; i < n; ++i) {
      const float left = i > 0 ? static_cast<float>((i - 1) * (i - 1) % 61) : 0.0F;
      const float right = i + 1 < n ? static_cast<float>((i + 1) * (i + 1) % 61) : 0.0F;
      REQUIRE(y[static_cast<std::size_t>(i)] == left + 2 * static_cast<float>(i * i % 61) + right);
    }
  }
}
