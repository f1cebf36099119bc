// error: dma::RowLayout: a swizzle moves chunks of 16 bytes, so rows must be multiples of 16 bytes; widen the row, or use Swizzle::none

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
constexpr int cols = 5;
#else
constexpr int cols = 8;
#endif

int bytes = dma::Strided<float, cols, 16, dma::RowLayout{.swizzle = dma::Swizzle::bytes_128}>::tile_bytes;
