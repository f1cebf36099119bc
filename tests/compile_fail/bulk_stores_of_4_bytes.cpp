// error: dma::BulkCopy: bulk copies move multiples of 16 bytes and this pattern's run_alignment is smaller; align its runs to 16, use dma::AsyncCopy<> for runs of 4 and 8 bytes, or dma::RegisterCopy<>

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
#if defined(DMA_MISTAKE)
using Tile = dma::Tile2D<float, 32, 8>;
#else
using Tile = dma::Tile2D<float, 32, 8, dma::RowLayout{.alignment = 16}>;
#endif
using Pipe = dma::DmaPipeline<dma::Store<Tile>, dma::SingleBuffer<Warps>, dma::CudaBarrier, dma::BulkCopy<>>;

void store(Pipe& pipe, float* destination) { pipe.as_dma().store(destination); }
