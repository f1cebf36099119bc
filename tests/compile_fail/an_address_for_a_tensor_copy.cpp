// error: dma::DmaHandle: this pipeline's engine takes the array's tensor map, and an address is passed; pass the map that dma::tensor_map (dma::host::tensor_map on a host) makes of it, or use dma::BulkCopy<>
#include <dma/dma.hpp>

using Tile = dma::Tile2D<float, 32, 8>;
using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>, dma::CudaBarrier, dma::TensorCopy<>>;

#if defined(DMA_MISTAKE)
void load(Pipe& pipe, const float* array) { pipe.as_dma().load(array, Tile{}); }
#else
void load(Pipe& pipe, const dma::TensorMap<Tile>& array) { pipe.as_dma().load(array, Tile{}); }
#endif
