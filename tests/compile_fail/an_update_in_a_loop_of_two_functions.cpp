// error: dma::DmaPipeline: a dma::Update loads, changes and stores each tile; give for_each_tile() three functions: load(dma, tile), change(compute, tile) and store(dma, tile)

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Tile = dma::Sequential<float, 64>;
using Pipe = dma::DmaPipeline<dma::Update<Tile>, dma::MultiBuffer<Warps, 3>>;

void kernel(Pipe& pipe, float* x) {
  const auto load = [&](const auto& dma, int tile) { dma.load(x + tile * Tile::count); };
  const auto change = [](const auto& compute, int) { compute.wait()[compute.rank()] *= 2; };
#if defined(DMA_MISTAKE)
  pipe.for_each_tile({.last = 8}, load, change);
#else
  const auto store = [&](const auto& dma, int tile) { dma.store(x + tile * Tile::count); };
  pipe.for_each_tile({.last = 8}, load, change, store);
#endif
}
