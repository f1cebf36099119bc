// error: dma::MultiBuffer: it has a positive number of stages, or a dma::AutomaticStages of a positive number of CTAs; name one of the two, or leave it out
#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
#if defined(DMA_MISTAKE)
using Buffering = dma::MultiBuffer<Warps, -2>;
#else
using Buffering = dma::MultiBuffer<Warps, dma::AutomaticStages{.ctas_an_sm = 2}>;
#endif

int stages = Buffering::stages_for(4096, 16);
