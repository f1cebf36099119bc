// error: dma::DmaHandle: DMA warps load tiles and never wait for full ones; call wait() on the handle that as_compute() gives the compute warps

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<dma::Sequential<float, 64>, dma::SingleBuffer<Warps>>;

void kernel(Pipe& pipe) {
#if defined(DMA_MISTAKE)
  auto tile = pipe.as_dma().wait();
#else
  auto tile = pipe.as_compute().wait();
#endif
  tile.release();
}
