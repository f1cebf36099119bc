// error: dma: a pattern has at least one plane, one row and one column; write a shorter or empty tile as a value of the pattern

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Tile = dma::Strided<float, 32, 0>;
#else
using Tile = dma::Strided<float, 32, 1>;
#endif

int bytes = Tile::tile_bytes;
