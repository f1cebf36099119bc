// error: dma::RowLayout: pitch_bytes must be a multiple of the alignment; name a smaller alignment

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Tile = dma::Strided<float, 5, 4, dma::RowLayout{.pitch_bytes = 20, .alignment = 16}>;
#else
using Tile = dma::Strided<float, 5, 4, dma::RowLayout{.alignment = 4}>;
#endif

int bytes = Tile::tile_bytes;
