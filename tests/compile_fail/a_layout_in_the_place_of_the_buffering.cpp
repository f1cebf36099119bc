// error: dma::DmaPipeline: its second argument is a dma::WarpLayout, where the buffering belongs; put dma::MultiBuffer<...> around it

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Tile = dma::Sequential<float, 64>;
#if defined(DMA_MISTAKE)
using Pipe = dma::DmaPipeline<Tile, Warps>;
#else
using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Warps>>;
#endif

Pipe::Storage storage;
