// error: dma::Slot: a slot is a scope and is released once, so it cannot be copied; pass it by reference, move it, or copy the elements that you need

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<dma::Sequential<float, 64>, dma::SingleBuffer<Warps>>;

float first_of(Pipe& pipe) {
  const auto tile = pipe.as_compute().wait();
#if defined(DMA_MISTAKE)
  const auto held = tile;
#else
  const auto& held = tile;
#endif
  return held[0];
}
