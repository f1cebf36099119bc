// error: dma::Indirect: Index must be an integer of 32 or 64 bits; widen the list of indices

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Tile = dma::Indirect<float, 32, 4, dma::IndexedRows<unsigned short>{}>;
#else
using Tile = dma::Indirect<float, 32, 4, dma::IndexedRows<unsigned>{}>;
#endif

int bytes = Tile::tile_bytes;
