// error: dma::Halo2D: Cols, Rows and Radius must be positive; a tile without a halo is dma::Tile2D

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Tile = dma::Halo2D<float, 16, 8, 0>;
#else
using Tile = dma::Halo2D<float, 16, 8, 1>;
#endif

int bytes = Tile::tile_bytes;
