// error: dma::Halo3D: cols, rows, planes and radius must be positive; use dma::Tile3D for a tile without a halo

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
constexpr int radius = 0;
#else
constexpr int radius = 1;
#endif

int bytes = dma::Halo3D<float, dma::HaloShape{.cols = 16, .rows = 8, .planes = 4, .radius = radius}>::tile_bytes;
