// error: dma::AsyncCopy: cp.async takes LoadCache::all and LoadCache::global only; give it an L2 priority instead (CacheHints::l2), or use dma::RegisterCopy, whose loads take every hint

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
constexpr dma::AsyncCopyTuning tuning{.cache = {.load = dma::LoadCache::streaming}};
#else
constexpr dma::AsyncCopyTuning tuning{.cache = {.load = dma::LoadCache::all}};
#endif

static_assert(dma::AsyncCopy<tuning>::can_move<dma::Sequential<float, 64>>);
