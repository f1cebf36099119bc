// error: dma::WarpLayout: whole warpgroups release and acquire registers; make the warps of every role with a budget a multiple of 4

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Warps = dma::WarpLayout<dma::Compute<8, dma::Registers<240>>, dma::Dma<1, dma::Registers<24>>>;
#else
using Warps = dma::WarpLayout<dma::Compute<8, dma::Registers<240>>, dma::Dma<4, dma::Registers<24>>>;
#endif

static_assert(Warps::threads > 0);
