// error: dma::TensorCopy: a list of boxes is loaded only; store it by dma::BulkCopy<> or dma::RegisterCopy<>
#include <dma/dma.hpp>

using Tile = dma::Paged<float, dma::PagedShape{.cols = 32, .rows = 16, .box_rows = 8}>;
using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
#if defined(DMA_MISTAKE)
using Engine = dma::TensorCopy<>;
using Array = dma::TensorMap<Tile>;
#else
using Engine = dma::BulkCopy<>;
using Array = float*;
#endif
using Pipe = dma::DmaPipeline<dma::Store<Tile>, dma::SingleBuffer<Warps>, dma::CudaBarrier, Engine>;

void store(Pipe& pipe, const Array& array) { pipe.as_dma().store(array, Tile{}); }
