// error: dma::Repeat: its pattern is a dma::Store; put dma::Store around the Repeat

#include <dma/dma.hpp>

using Tile = dma::Sequential<float, 64>;
#if defined(DMA_MISTAKE)
using Tiles = dma::Repeat<dma::Store<Tile>, 4>;
#else
using Tiles = dma::Store<dma::Repeat<Tile, 4>>;
#endif

int bytes = Tiles::tile_bytes;
