// error: dma::DmaPipeline: this barrier's supports() refuses the completion of this engine's copies (dma::NamedBarrier does not count the bytes of dma::BulkCopy and dma::TensorCopy); use dma::CudaBarrier or dma::RegisterCopy<>, or support it in a barrier of your own

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Tile = dma::Sequential<float, 64>;
#if defined(DMA_MISTAKE)
using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>, dma::NamedBarrier, dma::BulkCopy<>>;
#else
using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>, dma::CudaBarrier, dma::BulkCopy<>>;
#endif

Pipe::Storage storage;
