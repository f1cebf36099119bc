// error: dma::DmaHandle: this pipeline stores; call store(), or leave dma::Store out

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<dma::Store<dma::Sequential<float, 64>>, dma::SingleBuffer<Warps>>;

void kernel(Pipe& pipe, float* x) {
#if defined(DMA_MISTAKE)
  pipe.as_dma().load(x);
#else
  pipe.as_dma().store(x);
#endif
}
