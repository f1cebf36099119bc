// error: dma::TensorCopy: boxes bypass the first-level cache, so they take no LoadCache and no StoreCache; give them an L2 priority instead (CacheHints::l2), or use dma::RegisterCopy

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
constexpr dma::TensorCopyTuning tuning{.cache = {.load = dma::LoadCache::streaming}};
#else
constexpr dma::TensorCopyTuning tuning{.cache = {.l2 = dma::L2Priority::evict_last}};
#endif

static_assert(dma::TensorCopy<tuning>::can_move<dma::Tile2D<float, 32, 8>>);
