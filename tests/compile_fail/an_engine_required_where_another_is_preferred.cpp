// error: dma::require_engine: this pipeline is moved by another engine, because it names that, or because dma::DefaultEngine prefers it for these runs, this direction, this architecture or this number of stages; name the required engine as DmaPipeline's fourth argument

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
#if defined(DMA_MISTAKE)
using Tile = dma::Strided<float, 60, 16>;
#else
using Tile = dma::Strided<float, 512, 2>;
#endif
using Pipe = dma::require_engine<dma::BulkCopy<>, dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>>>;

Pipe::Storage storage;
