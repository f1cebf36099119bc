// error: dma::require_engine: this pipeline's barrier does not track the completion of the required engine's copies; use dma::CudaBarrier

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Tile = dma::Sequential<float, 1024>;
#if defined(DMA_MISTAKE)
using Barrier = dma::NamedBarrier;
#else
using Barrier = dma::CudaBarrier;
#endif
using Pipe = dma::require_engine<dma::BulkCopy<>, dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>, Barrier>>;

Pipe::Storage storage;
