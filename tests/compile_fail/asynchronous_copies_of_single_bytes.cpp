// error: dma::AsyncCopy: cp.async moves 4, 8 or 16 bytes and this pattern's run_alignment is smaller; align its runs to 4 bytes, or use dma::RegisterCopy<>

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
#if defined(DMA_MISTAKE)
using Tile = dma::Sequential<char, 63>;
#else
using Tile = dma::Sequential<char, 63, 4>;
#endif
using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>, dma::CudaBarrier, dma::AsyncCopy<>>;

void load(Pipe& pipe, const char* source) { pipe.as_dma().load(source); }
