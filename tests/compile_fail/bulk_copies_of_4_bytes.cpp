// error: dma::BulkCopy: bulk copies move multiples of 16 bytes and this pattern's run_alignment is smaller; align its runs to 16, use dma::AsyncCopy<> for runs of 4 and 8 bytes, or dma::RegisterCopy<>

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
#if defined(DMA_MISTAKE)
using Tile = dma::Sequential<float, 63>;
#else
using Tile = dma::Sequential<float, 64>;
#endif
using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>, dma::CudaBarrier, dma::BulkCopy<>>;

void load(Pipe& pipe, const float* source) { pipe.as_dma().load(source); }
