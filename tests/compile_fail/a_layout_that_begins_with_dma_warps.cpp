// error: dma::WarpLayout: compute groups come first, at least one, then one DMA group after another; write WarpLayout<Compute<4>, Dma<1>, ...>

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Warps = dma::WarpLayout<dma::Dma<1>, dma::Compute<4>>;
#else
using Warps = dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>;
#endif

static_assert(Warps::threads > 0);
