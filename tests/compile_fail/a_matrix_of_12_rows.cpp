// error: dma::matrix_descriptor: an operand of matrix products is made of blocks of 8 rows; use a multiple of 8 rows, and planes without other bytes between them
#include <dma/dma.hpp>
#include <dma/matrix/multiply_add.hpp>

struct __half {
  unsigned short bits;
};

#if defined(DMA_MISTAKE)
constexpr int rows = 12;
#else
constexpr int rows = 16;
#endif
using Tile = dma::Tile2D<__half, 64, rows, dma::RowLayout{.swizzle = dma::Swizzle::bytes_128}>;

auto b(const __half* tile) { return dma::matrix_descriptor<dma::Major::k, Tile>(tile); }
