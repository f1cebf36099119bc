// error: dma::RowLayout: plane_pitch_bytes is shorter than a plane, so planes would overlap; use the bytes of its rows or more

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
constexpr int plane_pitch = 256;
#else
constexpr int plane_pitch = 512;
#endif

int bytes = dma::Tile3D<float, dma::TileShape{.cols = 32, .rows = 4, .planes = 4},
                        dma::RowLayout{.plane_pitch_bytes = plane_pitch}>::tile_bytes;
