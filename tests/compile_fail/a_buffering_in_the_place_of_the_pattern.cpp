// error: dma::DmaPipeline: its first argument is a buffering, where the pattern belongs; write DmaPipeline<Pattern, Buffering, Barrier, Engine>

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Tile = dma::Sequential<float, 64>;
#if defined(DMA_MISTAKE)
using Pipe = dma::DmaPipeline<dma::SingleBuffer<Warps>, Tile>;
#else
using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>>;
#endif

Pipe::Storage storage;
