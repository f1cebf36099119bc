// error: dma::Concat: a part is itself a composition, and engines take parts apart once; name its parts one by one instead

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Second = dma::Halo2D<float, dma::HaloShape{.cols = 16, .rows = 8, .radius = 2}>;
#else
using Second = dma::Tile2D<float, 20, 12>;
#endif

int bytes = dma::Concat<dma::Sequential<float, 64>, Second>::tile_bytes;
