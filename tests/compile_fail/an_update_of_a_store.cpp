// error: dma::Update: its pattern is a dma::Store, and an update both loads and stores; name the pattern that is stored, without dma::Store

#include <dma/dma.hpp>

using Tile = dma::Sequential<float, 64>;
#if defined(DMA_MISTAKE)
using Pattern = dma::Update<dma::Store<Tile>>;
#else
using Pattern = dma::Update<Tile>;
#endif

int bytes = Pattern::tile_bytes;
