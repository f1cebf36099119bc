// error: dma::RowLayout: rows and pitch_bytes must be multiples of the alignment; name a smaller alignment

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Tile = dma::Strided<float, 5, 4, dma::RowLayout{.alignment = 16}>;
#else
using Tile = dma::Strided<float, 5, 4, dma::RowLayout{.alignment = 4}>;
#endif

int bytes = Tile::tile_bytes;
