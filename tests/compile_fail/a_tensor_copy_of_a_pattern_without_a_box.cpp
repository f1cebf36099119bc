// error: dma::TensorCopy: a tensor map cannot describe this pattern, which has to be a dma::BoxPattern
#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Tile = dma::Sequential<float, 32>;
#else
using Tile = dma::Tile2D<float, 32, 1>;
#endif
using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>, dma::CudaBarrier, dma::TensorCopy<>>;

void load(Pipe& pipe, const dma::TensorMap<Tile>& array) { pipe.as_dma().load(array); }
