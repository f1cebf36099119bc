// error: dma::DmaPipeline: its stages need more shared memory than the 227 KB that a CTA can have; use fewer stages or a smaller tile

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
#if defined(DMA_MISTAKE)
using Tile = dma::Sequential<float, 60 * 1024>;
#else
using Tile = dma::Sequential<float, 56 * 1024>;
#endif
using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>>;

int bytes = sizeof(Pipe::Storage);
