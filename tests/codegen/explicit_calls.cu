// Waits placed by hand, a window of slots that rolls, a pipeline without DMA warps, and a paced one: the calls that the
// README's kernel does not make.

#include <dma/dma.hpp>

using Tile = dma::Sequential<float, 1024>;

using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>, dma::Dma<1>>;
using In = dma::DmaPipeline<Tile, dma::MultiBuffer<Warps, 3, dma::DmaGroups{.first = 0}>>;
using Out = dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<Warps, 2, dma::DmaGroups{.first = 1}>, dma::CudaBarrier,
                             dma::BulkCopy<>>;

__global__ __launch_bounds__(Warps::threads) void sums_of_neighbours(const float* x, float* y, int tiles,
                                                                     dma::PaceCounter* counter) {
  extern __shared__ __align__(128) unsigned char memory[];
  In in(dma::this_cta(), *reinterpret_cast<In::Storage*>(memory));
  Out out(dma::this_cta(), *reinterpret_cast<Out::Storage*>(memory + sizeof(In::Storage)));
  if (in.is_dma()) {
    const auto dma = in.as_dma();
    dma::Pace<3> pace(dma::this_cta(), in, counter);
    for (int t = 0; t < tiles; ++t) {
      pace.step();
      dma.wait_until_empty();
      dma.copy(x + t * Tile::count);
      dma.signal_full();
    }
  } else if (out.is_dma()) {
    for (int t = 1; t < tiles; ++t) out.as_dma().store(y + t * Tile::count);
  } else {
    const auto compute = in.as_compute();
    auto before = compute.wait();
    for (int t = 1; t < tiles; ++t) {
      auto tile = compute.wait();
      auto sums = out.as_compute().wait();
      for (int i = compute.rank(); i < tile.size(); i += compute.size()) sums[i] = before[i] + tile[i];
      before = static_cast<decltype(tile)&&>(tile);
    }
  }
}

using Loop = dma::WarpLayout<dma::Compute<4>>;
using Named = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Loop>, dma::NamedBarrier>;

__global__ __launch_bounds__(Loop::threads) void twice(const float* x, float* y, int tiles) {
  __shared__ Named::Storage storage;
  Named pipe(dma::this_cta(), storage);
  pipe.for_each_tile(
      {.last = tiles}, [&](const auto& dma, int t) { dma.load(x + t * Tile::count); },
      [&](const auto& compute, int t) {
        const auto tile = compute.wait();
        for (int i = compute.rank(); i < tile.size(); i += compute.size()) y[t * Tile::count + i] = 2 * tile[i];
      });
  pipe.close();
}
