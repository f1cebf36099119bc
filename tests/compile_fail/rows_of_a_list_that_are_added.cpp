// error: dma::TensorCopy: rows of a list are not added; add them by dma::BulkCopy<>
#include <dma/dma.hpp>

using Tile = dma::Indirect<float, 32, 16>;
using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
#if defined(DMA_MISTAKE)
using Stored = dma::StoreAdd<Tile>;
#else
using Stored = dma::Store<Tile>;
#endif
using Pipe = dma::DmaPipeline<Stored, dma::SingleBuffer<Warps>, dma::CudaBarrier, dma::TensorCopy<>>;

void store(Pipe& pipe, const dma::TensorMap<Tile>& map) { pipe.as_dma().store(map, Tile{}); }
