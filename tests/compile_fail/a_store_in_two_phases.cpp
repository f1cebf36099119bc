// error: dma::TwoPhaseCopy: a store reads shared memory, which has no latency to hide; use dma::copy_tile

#include <dma/dma.hpp>

using Tile = dma::Sequential<float, 64>;

void kernel(const dma::CopyWarps<1>& warp, float* x, const float* tile) {
#if defined(DMA_MISTAKE)
  static_cast<void>(dma::TwoPhaseCopy<dma::Store<Tile>, 1>(warp));
#else
  static_cast<void>(dma::TwoPhaseCopy<Tile, 1>(warp));
#endif
  dma::copy_tile(warp, tile, x, dma::Store<Tile>{});
}
