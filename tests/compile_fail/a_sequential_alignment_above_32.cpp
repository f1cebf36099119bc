// error: dma::Sequential: Alignment must be 1, 2, 4, 8, 16 or 32 bytes; leave it out for the widest, up to 16, that a full tile allows

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Tile = dma::Sequential<float, 64, 128>;
#else
using Tile = dma::Sequential<float, 64, 16>;
#endif

int bytes = Tile::tile_bytes;
