// error: dma::MatrixSums: a warpgroup's product has 64 rows; use an array of MatrixSums<64, Columns> for more
#include <dma/dma.hpp>
#include <dma/matrix/multiply_add.hpp>

#if defined(DMA_MISTAKE)
constexpr int rows = 128;
#else
constexpr int rows = 64;
#endif

dma::MatrixSums<rows, 64> sums;
