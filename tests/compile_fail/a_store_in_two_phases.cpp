// error: dma::cudadma::TwoPhaseCopy: a store reads shared memory, which has no latency to hide; use dma::cudadma::copy_tile

#include <dma/cudadma/copy_tile.hpp>
#include <dma/cudadma/two_phase_copy.hpp>
#include <dma/dma.hpp>

using Tile = dma::Sequential<float, 64>;

void kernel(const dma::cudadma::CopyWarps<1>& warp, float* x, const float* tile) {
#if defined(DMA_MISTAKE)
  static_cast<void>(dma::cudadma::TwoPhaseCopy<dma::Store<Tile>, 1>(warp));
#else
  static_cast<void>(dma::cudadma::TwoPhaseCopy<Tile, 1>(warp));
#endif
  dma::cudadma::copy_tile(warp, tile, x, dma::Store<Tile>{});
}
