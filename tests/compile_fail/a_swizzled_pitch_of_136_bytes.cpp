// error: dma::RowLayout: a swizzle moves chunks of 16 bytes, so pitch_bytes and plane_pitch_bytes must be multiples of 16; round them up, or use Swizzle::none

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
constexpr int pitch = 136;
#else
constexpr int pitch = 144;
#endif

int bytes =
    dma::Tile2D<float, 32, 16, dma::RowLayout{.pitch_bytes = pitch, .swizzle = dma::Swizzle::bytes_64}>::tile_bytes;
