// error: dma::matrix_descriptor: the tile has no rows of constant pitch, as operands of matrix products need; use dma::Tile2D, dma::Tile3D, dma::Strided or dma::Indirect
#include <dma/dma.hpp>
#include <dma/matrix/multiply_add.hpp>

struct __half {
  unsigned short bits;
};

#if defined(DMA_MISTAKE)
using Tile = dma::Sequential<__half, 64 * 64>;
#else
using Tile = dma::Strided<__half, 64, 64, dma::RowLayout{.swizzle = dma::Swizzle::bytes_128}>;
#endif

auto a(const __half* tile) { return dma::matrix_descriptor<dma::Major::k, Tile>(tile); }
