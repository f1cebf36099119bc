// error: dma::Concat: a part is a dma::Update, and all parts move alike; put dma::Update around the Concat

#include <dma/dma.hpp>

using Tile = dma::Sequential<float, 64>;
#if defined(DMA_MISTAKE)
using Both = dma::Concat<Tile, dma::Update<Tile>>;
#else
using Both = dma::Update<dma::Concat<Tile, Tile>>;
#endif

int bytes = Both::tile_bytes;
