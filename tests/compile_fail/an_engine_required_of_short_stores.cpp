// error: dma::require_engine: this pipeline is moved by another engine, because it names that, or because dma::DefaultEngine prefers it for these runs, this direction, this architecture or this number of stages; name the required engine as DmaPipeline's fourth argument

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Tile = dma::Store<dma::Strided<float, 32, 16>>;
using Buffering = dma::SingleBuffer<Warps>;
#if defined(DMA_MISTAKE)
using Pipe = dma::require_engine<dma::BulkCopy<>, dma::DmaPipeline<Tile, Buffering, dma::NamedBarrier>>;
#else
using Pipe =
    dma::require_engine<dma::BulkCopy<>, dma::DmaPipeline<Tile, Buffering, dma::NamedBarrier, dma::BulkCopy<>>>;
#endif

Pipe::Storage storage;
