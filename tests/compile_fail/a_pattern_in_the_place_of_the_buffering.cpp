// error: dma::DmaPipeline: its second argument is a pattern, where the buffering belongs; write DmaPipeline<Pattern, Buffering, Barrier, Engine>, for example with dma::MultiBuffer<...>

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Tile = dma::Sequential<float, 64>;
#if defined(DMA_MISTAKE)
using Pipe = dma::DmaPipeline<Tile, Tile>;
#else
using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Warps>>;
#endif

Pipe::Storage storage;
