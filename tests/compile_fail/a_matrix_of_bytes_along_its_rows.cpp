// error: dma::matrix_descriptor: products take elements of one byte contiguous in k only; use Major::k, and tiles whose rows are along k
#include <dma/dma.hpp>
#include <dma/matrix/multiply_add.hpp>

struct __nv_fp8_e4m3 {
  unsigned char bits;
};

#if defined(DMA_MISTAKE)
constexpr dma::Major major = dma::Major::mn;
#else
constexpr dma::Major major = dma::Major::k;
#endif
using Tile = dma::Tile2D<__nv_fp8_e4m3, 128, 64, dma::RowLayout{.swizzle = dma::Swizzle::bytes_128}>;

auto a(const void* tile) { return dma::matrix_descriptor<major, Tile>(tile); }
