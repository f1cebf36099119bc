// error: dma::WarpLayout: the budgets together need more registers than the CTA is launched with, which are 65536 / threads a thread, rounded down to a multiple of 8, idle warps of a warpgroup included; lower a budget, or use fewer warps

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Warps = dma::WarpLayout<dma::Compute<8, dma::Registers{240}>, dma::Dma<4, dma::Registers{32}>>;
#else
using Warps = dma::WarpLayout<dma::Compute<8, dma::Registers{240}>, dma::Dma<4, dma::Registers{24}>>;
#endif

static_assert(Warps::threads > 0);
