// error: dma::DmaPipeline: its fourth argument is a barrier, where the engine belongs; write DmaPipeline<Pattern, Buffering, Barrier, Engine>

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Tile = dma::Sequential<float, 64>;
#if defined(DMA_MISTAKE)
using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>, dma::CudaBarrier, dma::NamedBarrier>;
#else
using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>, dma::NamedBarrier>;
#endif

Pipe::Storage storage;
