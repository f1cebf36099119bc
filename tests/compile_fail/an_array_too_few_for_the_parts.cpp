// error: dma::tensor_map: there are more or fewer arrays than parts in the pattern, and each part has one; pass a dma::TensorArray{array, part} for each part of the dma::Concat

#include <dma/dma.hpp>

using Fine = dma::Tile2D<float, 32, 8>;
using Coarse = dma::Tile2D<float, 16, 4>;
using Both = dma::Concat<Fine, Coarse>;

dma::TensorMap<Both> map_of(const float* fine, [[maybe_unused]] const float* coarse) {
#if defined(DMA_MISTAKE)
  return dma::host::tensor_map<Both>(dma::TensorArray{fine, Fine{}});
#else
  return dma::host::tensor_map<Both>(dma::TensorArray{fine, Fine{}}, dma::TensorArray{coarse, Coarse{}});
#endif
}
