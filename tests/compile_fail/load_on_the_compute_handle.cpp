// error: dma::ComputeHandle: compute warps wait for tiles and never load them; call load() on the handle that as_dma() gives the DMA warps

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<dma::Sequential<float, 64>, dma::SingleBuffer<Warps>>;

void kernel(Pipe& pipe, const float* x) {
#if defined(DMA_MISTAKE)
  pipe.as_compute().load(x);
#else
  pipe.as_dma().load(x);
#endif
}
