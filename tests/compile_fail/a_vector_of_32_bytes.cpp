// error: dma::Vector: one access moves 1, 2, 4, 8 or 16 bytes; choose a Size that is a power of two and at most 16 / sizeof(T)

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<dma::Sequential<float, 64>, dma::SingleBuffer<Warps>>;

float first_of(Pipe& pipe) {
  const auto tile = pipe.as_compute().wait();
#if defined(DMA_MISTAKE)
  return tile.vectors<8>()[0][0];
#else
  return tile.vectors<4>()[0][0];
#endif
}
