// error: dma::Buffering: the number of stages is not a positive multiple of the groups that take turns at them; make it one, so that each stage belongs to one DMA group

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>, dma::Dma<1>>;
#if defined(DMA_MISTAKE)
using Buffering = dma::MultiBuffer<Warps, 3, dma::DmaGroups{.count = 2}>;
#else
using Buffering = dma::MultiBuffer<Warps, 4, dma::DmaGroups{.count = 2}>;
#endif

dma::DmaPipeline<dma::Sequential<float, 64>, Buffering>::Storage storage;
