// error: dma::MultiBuffer: Stages must be a multiple of Groups, so that each stage belongs to one DMA group

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>, dma::Dma<1>>;
#if defined(DMA_MISTAKE)
using Buffering = dma::MultiBuffer<Warps, 3, 2>;
#else
using Buffering = dma::MultiBuffer<Warps, 4, 2>;
#endif

dma::DmaPipeline<dma::Sequential<float, 64>, Buffering>::Storage storage;
