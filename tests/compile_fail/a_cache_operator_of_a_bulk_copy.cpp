// error: dma::BulkCopy: bulk copies bypass the first-level cache, so they take no LoadCache and no StoreCache; give them an L2 priority instead (CacheHints::l2), or use dma::RegisterCopy

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
constexpr dma::BulkCopyTuning tuning{.cache = {.load = dma::LoadCache::streaming}};
#else
constexpr dma::BulkCopyTuning tuning{.cache = {.l2 = dma::L2Priority::evict_first}};
#endif

static_assert(dma::BulkCopy<tuning>::alignment == 16);
