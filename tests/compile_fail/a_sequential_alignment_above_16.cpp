// error: dma::Sequential: Alignment must be 1, 2, 4, 8 or 16 bytes; leave it out for the widest that a full tile allows

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Tile = dma::Sequential<float, 64, 128>;
#else
using Tile = dma::Sequential<float, 64, 16>;
#endif

int bytes = Tile::tile_bytes;
