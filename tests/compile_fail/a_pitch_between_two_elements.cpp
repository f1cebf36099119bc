// error: dma::RowLayout: pitch_bytes must be a multiple of sizeof(T), so that elements have an index; round it up

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Tile = dma::Tile2D<double, 4, 4, dma::RowLayout{.pitch_bytes = 36}>;
#else
using Tile = dma::Tile2D<double, 4, 4, dma::RowLayout{.pitch_bytes = 40}>;
#endif

int bytes = Tile::tile_bytes;
