// error: dma::RowLayout: rows and pitch_bytes must be multiples of the alignment; name a smaller alignment

#include <dma/dma.hpp>

struct Record {
  unsigned char bytes[1004];
};

#if defined(DMA_MISTAKE)
using Tile = dma::Strided<Record, 1, 4, dma::RowLayout{.alignment = 16}>;
#else
using Tile = dma::Strided<Record, 1, 4>;
#endif

int bytes = Tile::tile_bytes;
