// error: dma::require_engine: this engine cannot move the pattern, whose run_alignment is below what it needs (16 bytes for bulk copies, 4 for cp.async); align addresses, pitches and run lengths

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
#if defined(DMA_MISTAKE)
using Tile = dma::Sequential<float, 1023>;
#else
using Tile = dma::Sequential<float, 1024>;
#endif
using Pipe = dma::require_engine<dma::BulkCopy, dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>>>;

Pipe::Storage storage;
