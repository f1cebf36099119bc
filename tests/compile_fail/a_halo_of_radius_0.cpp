// error: dma::Halo2D: cols, rows and radius must be positive; use dma::Tile2D for a tile without a halo

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Tile = dma::Halo2D<float, dma::HaloShape{.cols = 16, .rows = 8, .radius = 0}>;
#else
using Tile = dma::Halo2D<float, dma::HaloShape{.cols = 16, .rows = 8, .radius = 1}>;
#endif

int bytes = Tile::tile_bytes;
