// error: dma::RowLayout: a swizzle moves chunks of 16 bytes, so the alignment must be 16; leave it out, or use Swizzle::none

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
constexpr int alignment = 4;
#else
constexpr int alignment = 16;
#endif

int bytes =
    dma::Tile2D<float, 32, 16, dma::RowLayout{.alignment = alignment, .swizzle = dma::Swizzle::bytes_64}>::tile_bytes;
