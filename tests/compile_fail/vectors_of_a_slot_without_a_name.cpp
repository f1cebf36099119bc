// error: dma::Slot: vectors() of a slot without a name, which is released at the end of the statement; name the slot first: auto tile = compute.wait(); auto vectors = tile.vectors();

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<dma::Sequential<float, 64>, dma::SingleBuffer<Warps>>;

void wait_for(Pipe& pipe) {
#if defined(DMA_MISTAKE)
  pipe.as_compute().wait().vectors();
#else
  const auto tile = pipe.as_compute().wait();
  static_cast<void>(tile.vectors());
#endif
}
