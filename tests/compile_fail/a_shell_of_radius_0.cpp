// error: dma::Halo3D: Cols, Rows, Planes and Radius must be positive; a tile without a halo is dma::Tile3D

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
constexpr int radius = 0;
#else
constexpr int radius = 1;
#endif

int bytes = dma::Halo3D<float, 16, 8, 4, radius>::tile_bytes;
