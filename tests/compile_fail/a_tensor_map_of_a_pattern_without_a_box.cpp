// error: dma::tensor_map: a tensor map cannot describe this pattern, which has to be a dma::BoxPattern of elements of 1, 2, 4 or 8 bytes, rows dense and multiples of 16 bytes (or as long as the swizzle), at most 5 axes, extents up to 256; change its shape, or use dma::BulkCopy<>
#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Tile = dma::Sequential<float, 32>;
#else
using Tile = dma::Tile2D<float, 32, 1>;
#endif

dma::TensorMap<Tile> map_of(const float* array) { return dma::host::tensor_map(array, Tile{}); }
