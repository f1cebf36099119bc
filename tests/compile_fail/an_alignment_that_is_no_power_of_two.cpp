// error: dma::RowLayout: alignment must be 1, 2, 4, 8, 16 or 32 bytes; leave it out for the widest, up to 16, that the shape allows

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Tile = dma::Strided<float, 12, 4, dma::RowLayout{.alignment = 12}>;
#else
using Tile = dma::Strided<float, 12, 4, dma::RowLayout{.alignment = 16}>;
#endif

int bytes = Tile::tile_bytes;
