// error: dma::RowLayout: a swizzle moves chunks of 16 bytes, which these elements do not divide; use elements of 1, 2, 4, 8 or 16 bytes, or Swizzle::none

#include <dma/dma.hpp>

struct Vector {
  float x, y, z;
#if !defined(DMA_MISTAKE)
  float padding;
#endif
};

int bytes = dma::Strided<Vector, 8, 16, dma::RowLayout{.swizzle = dma::Swizzle::bytes_128}>::tile_bytes;
