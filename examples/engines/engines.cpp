// One kernel, moved by each engine: the type of the pipeline is all that changes.

#include <dma/dma.hpp>
#include <dma/explain/print.hpp>
#include <dma/host/launch.hpp>

#include <cstddef>
#include <iostream>
#include <vector>

namespace {

using Tile = dma::Sequential<float, 1024>;
using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
using Stages = dma::MultiBuffer<Warps, 4>;

using Default = dma::DmaPipeline<Tile, Stages>;
using Bulk = dma::require_engine<dma::BulkCopy<>, Default>;
using Async = dma::DmaPipeline<Tile, Stages, dma::CudaBarrier, dma::AsyncCopy<>>;
using Named = dma::DmaPipeline<Tile, Stages, dma::NamedBarrier>;

constexpr dma::RegisterCopyTuning few_registers{.loads_in_flight = 4};
using Registers = dma::DmaPipeline<Tile, Stages, dma::CudaBarrier, dma::RegisterCopy<few_registers>>;

constexpr dma::RegisterCopyTuning two_tiles{.tiles_ahead = 2};
using Ahead = dma::DmaPipeline<Tile, Stages, dma::NamedBarrier, dma::RegisterCopy<two_tiles>>;

static_assert(dma::explain<Bulk>().bytes_in_flight == 4 * 4096);
static_assert(dma::explain<Async>().bytes_in_flight == 4 * 4096);
static_assert(dma::explain<Named>().bytes_in_flight == 4096);
static_assert(dma::explain<Registers>().bytes_in_flight == 4 * 32 * 16);
static_assert(dma::explain<Ahead>().bytes_in_flight == 2 * 4096);

/// y = a x for `tiles` whole tiles.
template <class Pipe_>
struct Scale {
  using Layout = Warps;
  using Pipe = Pipe_;
  struct Shared {
    typename Pipe::Storage storage;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Scale>& cta, const float* x, float* y, float a, int tiles) const {
    Pipe pipe(cta, cta.template shared<Shared>().storage);
    pipe.for_each_tile(
        0, tiles, 1,  //
        [&](const auto& dma, int t) { dma.load(x + t * Tile::count); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait();
          for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
            y[t * Tile::count + i] = a * tile[i];
          }
        });
  }
};

template <class Pipe>
bool is_right() {
  constexpr int tiles = 7;
  std::vector<float> x(tiles * Tile::count);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i % 101);
  }
  std::vector<float> y(x.size(), -1.0F);
  dma::host::launch(Scale<Pipe>{}, {1}, x.data(), y.data(), 3.0F, tiles);
  bool all_right = true;
  for (std::size_t i = 0; i < x.size(); ++i) {
    all_right = all_right && y[i] == 3 * x[i];
  }
  std::cout << dma::explain<Pipe>() << (all_right ? "right\n\n" : "WRONG\n\n");
  return all_right;
}

}  // namespace

int main() {
  const bool by_default = is_right<Bulk>();
  const bool by_async = is_right<Async>();
  const bool by_name = is_right<Named>();
  const bool by_registers = is_right<Registers>();
  const bool by_two = is_right<Ahead>();
  return by_default && by_async && by_name && by_registers && by_two ? 0 : 1;
}
