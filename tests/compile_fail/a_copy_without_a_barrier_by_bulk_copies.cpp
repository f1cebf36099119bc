// error: dma::cudadma::copy_tile: this engine's copies are bulk copies, which report to a pipeline's barrier or belong to a bulk group; use dma::RegisterCopy<> or dma::AsyncCopy<>, or a dma::DmaPipeline

#include <dma/cudadma/copy_tile.hpp>
#include <dma/dma.hpp>

using Tile = dma::Sequential<float, 64>;

void kernel(const dma::cudadma::CopyWarps<1>& warp, const float* x, float* tile) {
#if defined(DMA_MISTAKE)
  dma::cudadma::copy_tile<dma::BulkCopy<>>(warp, x, tile, Tile{});
#else
  dma::cudadma::copy_tile<dma::AsyncCopy<>>(warp, x, tile, Tile{});
#endif
}
