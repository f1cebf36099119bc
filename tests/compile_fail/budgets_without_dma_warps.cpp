// error: dma::WarpLayout: budgets divide registers among roles and this layout has only one; leave dma::Registers out, or give it DMA warps

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Warps = dma::WarpLayout<dma::Compute<8, dma::Registers{240}>>;
#else
using Warps = dma::WarpLayout<dma::Compute<8>>;
#endif

static_assert(Warps::threads > 0);
