// error: dma::require_engine: this engine cannot move the pattern: bulk copies need a run_alignment of 16 bytes, cp.async of 4, tensor maps a box of the shapes that dma::TensorCopy names; align addresses, pitches and run lengths

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
#if defined(DMA_MISTAKE)
using Tile = dma::Sequential<float, 1023>;
#else
using Tile = dma::Sequential<float, 1024>;
#endif
using Pipe = dma::require_engine<dma::BulkCopy<>, dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>>>;

Pipe::Storage storage;
