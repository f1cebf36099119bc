// error: dma::RowLayout: only a dma::Strided and a dma::Indirect have a pitch that is known at run time; name pitch_bytes instead of max_pitch_bytes

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Tile = dma::Tile2D<float, 32, 4, dma::RowLayout{.max_pitch_bytes = 144}>;
#else
using Tile = dma::Tile2D<float, 32, 4, dma::RowLayout{.pitch_bytes = 144}>;
#endif

int bytes = Tile::tile_bytes;
