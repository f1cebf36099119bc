// error: dma::DmaHandle: for_each_tile() is for a dma::Update, and this pipeline moves tiles one way; loop over my_tiles(), or name its pattern dma::Update<...>

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Tile = dma::Sequential<float, 64>;
#if defined(DMA_MISTAKE)
using Pattern = Tile;
#else
using Pattern = dma::Update<Tile>;
#endif
using Pipe = dma::DmaPipeline<Pattern, dma::MultiBuffer<Warps, 3>>;

void kernel(Pipe& pipe) {
  const auto nothing = [](int) {};
  pipe.as_dma().for_each_tile({.last = 8}, nothing, nothing);
}
