// error: dma::tensor_map: the box of an array is not of the type of the pattern's part in its place; pass the dma::TensorArray{array, part} in the order of the parts of the dma::Concat, each with a value of that part

#include <dma/dma.hpp>

using Fine = dma::Tile2D<float, 32, 8>;
using Coarse = dma::Tile2D<float, 16, 4>;
using Both = dma::Concat<Fine, Coarse>;

dma::TensorMap<Both> map_of(const float* fine, const float* coarse) {
#if defined(DMA_MISTAKE)
  return dma::host::tensor_map<Both>(dma::TensorArray{coarse, Coarse{}}, dma::TensorArray{fine, Fine{}});
#else
  return dma::host::tensor_map<Both>(dma::TensorArray{fine, Fine{}}, dma::TensorArray{coarse, Coarse{}});
#endif
}
