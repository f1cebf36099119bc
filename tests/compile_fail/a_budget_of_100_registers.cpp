// error: dma::Registers: a thread's budget is a multiple of 8 from 24 to 256 registers; name one of these

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Warps = dma::WarpLayout<dma::Compute<8, dma::Registers{100}>, dma::Dma<4, dma::Registers{24}>>;
#else
using Warps = dma::WarpLayout<dma::Compute<8, dma::Registers{104}>, dma::Dma<4, dma::Registers{24}>>;
#endif

static_assert(Warps::threads > 0);
