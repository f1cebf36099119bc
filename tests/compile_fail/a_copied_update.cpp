// error: dma::cudadma::copy_tile: a dma::Update is loaded and stored, and a copy moves one way; copy the pattern itself, then a dma::Store of it

#include <dma/cudadma/copy_tile.hpp>
#include <dma/dma.hpp>

using Tile = dma::Sequential<float, 64>;
#if defined(DMA_MISTAKE)
using Pattern = dma::Update<Tile>;
#else
using Pattern = Tile;
#endif

void kernel(const dma::cudadma::CopyWarps<1>& warps, const float* from, float* to) {
  dma::cudadma::copy_tile(warps, from, to, Pattern{});
}
