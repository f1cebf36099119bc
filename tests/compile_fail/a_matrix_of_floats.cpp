// error: dma::matrix_descriptor: matrix products are of __nv_bfloat16, __half, __nv_fp8_e4m3 and __nv_fp8_e5m2; use one of them as Element
#include <dma/dma.hpp>
#include <dma/matrix/multiply_add.hpp>

struct __half {
  unsigned short bits;
};

#if defined(DMA_MISTAKE)
using Element = float;
#else
using Element = __half;
#endif
constexpr int columns = 128 / sizeof(Element);
using Tile = dma::Tile2D<Element, columns, 64, dma::RowLayout{.swizzle = dma::Swizzle::bytes_128}>;

auto a(const Element* tile) { return dma::matrix_descriptor<dma::Major::k, Tile>(tile); }
