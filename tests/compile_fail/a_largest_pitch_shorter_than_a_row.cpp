// error: dma::RowLayout: max_pitch_bytes is shorter than a row, so rows would overlap; use row bytes or more

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Tile = dma::Strided<float, 32, 4, dma::RowLayout{.max_pitch_bytes = 112}>;
#else
using Tile = dma::Strided<float, 32, 4, dma::RowLayout{.max_pitch_bytes = 144}>;
#endif

int bytes = Tile::tile_bytes;
