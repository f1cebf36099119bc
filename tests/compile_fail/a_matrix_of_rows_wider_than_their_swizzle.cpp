// error: dma::matrix_descriptor: rows of an operand of matrix products are dense and exactly as wide as the swizzle: 128, 64 or 32 bytes, or 16 without one; use RowLayout{.swizzle = Swizzle::bytes_128} and rows of 64 elements, and planes of a Tile3D for more
#include <dma/dma.hpp>
#include <dma/matrix/multiply_add.hpp>

struct __half {
  unsigned short bits;
};

#if defined(DMA_MISTAKE)
constexpr dma::RowLayout layout{};
#else
constexpr dma::RowLayout layout{.swizzle = dma::Swizzle::bytes_128};
#endif
using Tile = dma::Tile2D<__half, 64, 64, layout>;

auto a(const __half* tile) { return dma::matrix_descriptor<dma::Major::k, Tile>(tile); }
