// error: dma::Repeat: its pattern is a dma::Update; put dma::Update around the Repeat

#include <dma/dma.hpp>

using Tile = dma::Sequential<float, 64>;
#if defined(DMA_MISTAKE)
using Tiles = dma::Repeat<dma::Update<Tile>, 4>;
#else
using Tiles = dma::Update<dma::Repeat<Tile, 4>>;
#endif

int bytes = Tiles::tile_bytes;
