// error: dma::multiply_add: A and B have different Elements; use tiles of one element
#include <dma/dma.hpp>
#include <dma/matrix/multiply_add.hpp>

struct __half {
  unsigned short bits;
};
struct __nv_bfloat16 {
  unsigned short bits;
};

#if defined(DMA_MISTAKE)
using Other = __nv_bfloat16;
#else
using Other = __half;
#endif
template <class Element>
using Tile = dma::Tile2D<Element, 64, 64, dma::RowLayout{.swizzle = dma::Swizzle::bytes_128}>;

void multiply(dma::MatrixSums<64, 64>& sums, const void* a, const void* b) {
  dma::multiply_add(sums, dma::matrix_descriptor<dma::Major::k, Tile<__half>>(a),
                    dma::matrix_descriptor<dma::Major::k, Tile<Other>>(b));
}
