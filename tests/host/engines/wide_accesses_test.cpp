#include <dma/dma.hpp>
#include <dma/host/launch.hpp>
#include <dma/host/laws.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <vector>

namespace {

constexpr dma::RegisterCopyTuning wide{.loads_in_flight = 2, .widest_access = 32};
using Wide = dma::RegisterCopy<wide>;

static_assert(Wide::access_bytes<dma::Sequential<float, 64, 32>> == 32);
static_assert(Wide::access_bytes<dma::Sequential<float, 64>> == 16, "the default alignment");
static_assert(dma::RegisterCopy<>::access_bytes<dma::Sequential<float, 64, 32>> == 16, "the default accesses");

constexpr dma::RowLayout rows_of_32{.alignment = 32};

/// y += x, in tiles of which the last one is partial.
struct AddsWide {
  using Tile = dma::Sequential<float, 80, 32>;
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>, dma::Dma<1>>;
  using In = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 0}>, dma::CudaBarrier, Wide>;
  using Out = dma::DmaPipeline<dma::StoreAdd<Tile>, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 1}>,
                               dma::CudaBarrier, Wide>;
  struct Shared {
    In::Storage in;
    Out::Storage out;
  };

  void operator()(dma::KernelCta<AddsWide>& cta, const float* x, float* y, int n) const {
    auto& shared = cta.shared<Shared>();
    In in(cta, shared.in);
    Out out(cta, shared.out);
    const auto tile_at = [&](int t) { return Tile::up_to(n - t * 80); };
    const int tiles = (n + 79) / 80;
    cta.take_roles(
        [&] {
          for (int t = 0; t < tiles; ++t) {
            const auto from = in.as_compute().wait(tile_at(t));
            const auto to = out.as_compute().wait(tile_at(t));
            for (int i = cta.lane(); i < to.size(); i += 32) {
              to[i] = from[i];
            }
          }
        },
        [&] {
          for (int t = 0; t < tiles; ++t) {
            in.as_dma().load(x + t * 80LL, tile_at(t));
          }
        },
        [&] {
          for (int t = 0; t < tiles; ++t) {
            out.as_dma().store(y + t * 80LL, tile_at(t));
          }
        });
  }
};

}  // namespace

TEST_CASE("accesses of 32 bytes arrive whole, with tails of each length, in both directions", "[engines][wide]") {
  CHECK(dma::host::broken_law<Wide>(dma::Sequential<float, 64, 32>{}) == "");
  CHECK(dma::host::broken_law<Wide>(dma::Sequential<unsigned char, 1023, 32>{}) == "");
  CHECK(dma::host::broken_law<Wide>(dma::Strided<float, 16, 5, rows_of_32>{.pitch_bytes = 96}) == "");
  CHECK(dma::host::broken_law<Wide>(dma::Strided<unsigned char, 95, 7, rows_of_32>{.pitch_bytes = 128}) == "");
}

TEST_CASE("accesses of 32 bytes add each element once, and are proved", "[engines][wide]") {
  struct alignas(32) Line {
    float elements[8];
  };
  for (const int n : {0, 3, 80, 80 * 5, 80 * 7 + 77}) {
    std::vector<Line> x_lines(static_cast<std::size_t>(n) / 8 + 1);
    std::vector<Line> y_lines(x_lines.size());
    float* const x = x_lines.front().elements;
    float* const y = y_lines.front().elements;
    for (int i = 0; i < n; ++i) {
      x[i] = static_cast<float>(3 * i + 1);
      y[i] = static_cast<float>(i);
    }
    INFO(n);
    const std::size_t count = static_cast<std::size_t>(n);
    if (n > 0) {
      CHECK_THAT(dma::proof::prove({.inputs = {dma::proof::input(x, count)}, .outputs = {dma::proof::output(y, count)}},
                                   AddsWide{}, {1}, x, y, n),
                 dma::proof::IsProved());
    }
    dma::host::launch(AddsWide{}, {1}, static_cast<const float*>(x), y, n);
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
      wrong += y[i] == static_cast<float>(4 * i + 1) ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
}
