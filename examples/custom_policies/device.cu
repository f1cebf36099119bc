// User-defined policies on a GPU: one kernel with the engine, the barrier and the buffering of examples/custom_*.
// Checks every element, and that an SM holds as many CTAs as the buffering leaves room for; exits with 4 where there is
// no GPU.

#include "../custom_barrier/each_arrives.hpp"
#include "../custom_buffering/stages_for_ctas.hpp"
#include "../custom_engine/run_per_warp.hpp"
#include "../custom_pattern/triangle.hpp"
#include "../gpu.hpp"
#include "../scale_tiles.hpp"
#include "../usage.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <vector>

#include <cuda_runtime.h>

namespace {

constexpr int ctas = 264;
constexpr int tiles = 2000;
using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<2>>;
using Row = dma::Sequential<float, 1024>;
using Triangle = LowerTriangle<24>;

/// The number of wrong elements in `tiles` tiles, `stride` elements apart.
template <class Kernel>
long long count_wrong(const char* name, long long stride, const typename Kernel::Tile& tile) {
  long long end_bytes = 0;
  for (int run = 0; run < tile.run_count(); ++run) {
    end_bytes = std::max(end_bytes, tile.run_at(run).global + tile.run_at(run).bytes);
  }
  std::vector<float> x(static_cast<std::size_t>((tiles - 1) * stride + end_bytes / 4));
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i % 4099);
  }
  const gpu::Array<float> from(x);
  const gpu::Array<float> to(static_cast<std::size_t>(tiles) * static_cast<std::size_t>(tile.size()));
  to.set_bytes(0xff);
  dma::launch(Kernel{}, {ctas}, nullptr, static_cast<const float*>(from.data()), to.data(), tiles, stride, tile);
  const std::vector<float> y = to.values();

  long long wrong = 0;
  std::size_t next = 0;
  for (int t = 0; t < tiles; ++t) {
    for (int run = 0; run < tile.run_count(); ++run) {
      const dma::Run place = tile.run_at(run);
      for (int i = 0; i < place.bytes / 4; ++i) {
        const std::size_t at = static_cast<std::size_t>(t * stride + place.global / 4 + i);
        wrong += y[next++] == 2 * x[at] ? 0 : 1;
      }
    }
  }
  std::printf("%-34s %lld of %zu elements are wrong\n", name, wrong, y.size());
  return wrong;
}

/// CTAs that an SM holds of a kernel.
template <class Kernel>
int ctas_an_sm() {
  return dma::occupancy<Kernel, const float*, float*, int, long long, typename Kernel::Tile>().ctas_an_sm;
}

template <int Ctas>
using FillsAnSm = ScaleTiles<dma::DmaPipeline<Row, StagesForCtas<Warps, Ctas>>, Ctas>;

}  // namespace

int main(int argc, char** argv) try {
  expect_no_arguments(argc, argv, "Runs one kernel with a user's engine, barrier and buffering on a GPU.");
  if (const std::string reason = gpu::missing(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 4;
  }
  using Buffers = dma::MultiBuffer<Warps, 4>;
  long long wrong = 0;
  wrong += count_wrong<ScaleTiles<dma::DmaPipeline<Triangle, Buffers, dma::CudaBarrier, RunPerWarp>>>(
      "RunPerWarp", 24, Triangle{.pitch_bytes = tiles * 4});
  wrong +=
      count_wrong<ScaleTiles<dma::DmaPipeline<Row, Buffers, EachArrives>>>("EachArrives, AsyncCopy", Row::count, {});
  wrong += count_wrong<ScaleTiles<dma::DmaPipeline<Row, Buffers, EachArrives, dma::RegisterCopy<>>>>(
      "EachArrives, RegisterCopy", Row::count, {});
  wrong += count_wrong<ScaleTiles<dma::DmaPipeline<Triangle, Buffers, EachArrives, RunPerWarp>>>(
      "EachArrives, RunPerWarp", 24, Triangle{.pitch_bytes = tiles * 4});
  wrong += count_wrong<FillsAnSm<3>>("StagesForCtas<3>", Row::count, {});

  const int found[] = {ctas_an_sm<FillsAnSm<2>>(), ctas_an_sm<FillsAnSm<3>>(), ctas_an_sm<FillsAnSm<8>>()};
  std::printf("StagesForCtas: an SM holds %d, %d and %d CTAs where there is room for 2, 3 and 8\n", found[0], found[1],
              found[2]);
  // A checked kernel has 2 KB of static shared memory more, so that one CTA less may fit.
  const bool fits = DMA_CHECKED != 0 || (found[0] == 2 && found[1] == 3 && found[2] == 8);
  return wrong == 0 && fits ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "custom_policies: %s\n", error.what());
  return 1;
}
