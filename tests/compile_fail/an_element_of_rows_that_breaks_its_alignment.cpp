// error: dma::RowLayout: pitch_bytes must be a multiple of sizeof(T), so that elements have an index; round it up

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
