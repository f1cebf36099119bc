// error: dma::Halo2D: a ring has one plane; leave planes out, or use dma::Halo3D

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
constexpr dma::HaloShape shape{.cols = 16, .rows = 8, .planes = 2, .radius = 1};
#else
constexpr dma::HaloShape shape{.cols = 16, .rows = 8, .radius = 1};
#endif

int bytes = dma::Halo2D<float, shape>::tile_bytes;
