// error: dma::multiply_add: the tile of B has fewer columns than the sums; make it wider, or the sums narrower
#include <dma/dma.hpp>
#include <dma/matrix/multiply_add.hpp>

struct __half {
  unsigned short bits;
};

#if defined(DMA_MISTAKE)
constexpr int columns = 128;
#else
constexpr int columns = 64;
#endif
using Tile = dma::Tile2D<__half, 64, 64, dma::RowLayout{.swizzle = dma::Swizzle::bytes_128}>;

void multiply(dma::MatrixSums<64, columns>& sums, const void* a, const void* b) {
  dma::multiply_add(sums, dma::matrix_descriptor<dma::Major::k, Tile>(a),
                    dma::matrix_descriptor<dma::Major::k, Tile>(b));
}
