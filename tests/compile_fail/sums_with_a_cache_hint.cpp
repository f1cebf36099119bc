// error: dma::RegisterCopy: a dma::StoreAdd is done by red instructions, which take no cache hints of stores; leave them out, or use dma::BulkCopy, which takes an L2 priority

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
constexpr dma::RegisterCopyTuning streaming{.cache = {.store = dma::StoreCache::streaming}};
#if defined(DMA_MISTAKE)
using Tile = dma::StoreAdd<dma::Sequential<float, 256>>;
#else
using Tile = dma::Store<dma::Sequential<float, 256>>;
#endif
using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>, dma::CudaBarrier, dma::RegisterCopy<streaming>>;

void store(Pipe& pipe, float* destination) { pipe.as_dma().store(destination); }
