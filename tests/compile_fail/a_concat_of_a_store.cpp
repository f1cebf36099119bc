// error: dma::Concat: a part is a dma::Store, and a tile moves in one direction; put dma::Store around the Concat

#include <dma/dma.hpp>

using Tile = dma::Sequential<float, 64>;
#if defined(DMA_MISTAKE)
using Both = dma::Concat<Tile, dma::Store<Tile>>;
#else
using Both = dma::Store<dma::Concat<Tile, Tile>>;
#endif

int bytes = Both::tile_bytes;
