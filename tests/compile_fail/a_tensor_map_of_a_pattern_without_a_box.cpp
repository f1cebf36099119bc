// error: dma::tensor_map: a tensor map cannot describe this pattern, which has to be a dma::BoxPattern
#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Tile = dma::Sequential<float, 32>;
#else
using Tile = dma::Tile2D<float, 32, 1>;
#endif

dma::TensorMap<Tile> map_of(const float* array) { return dma::host::tensor_map(array, Tile{}); }
