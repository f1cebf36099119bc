// error: dma::WarpLayout: some roles have a register budget and others none; give every role a dma::Registers{...}, or none

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Warps = dma::WarpLayout<dma::Compute<8, dma::Registers{240}>, dma::Dma<4>>;
#else
using Warps = dma::WarpLayout<dma::Compute<8, dma::Registers{240}>, dma::Dma<4, dma::Registers{24}>>;
#endif

static_assert(Warps::threads > 0);
