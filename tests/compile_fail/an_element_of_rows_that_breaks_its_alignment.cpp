// error: dma::RowLayout: pitch_bytes must be a multiple of the alignment; name a smaller alignment

#include <dma/dma.hpp>

struct Record {
  unsigned char bytes[1004];
};

#if defined(DMA_MISTAKE)
using Tile = dma::Strided<Record, 1, 4, dma::RowLayout{.pitch_bytes = 1004, .alignment = 16}>;
#else
using Tile = dma::Strided<Record, 1, 4>;
#endif

int bytes = Tile::tile_bytes;
