// error: dma::DmaPipeline: this barrier cannot tell when this engine's copies are done; use dma::CudaBarrier

#include <dma/dma.hpp>

/// An engine whose copies are counted in bytes, which only a phase barrier can do.
struct Counted : dma::RegisterCopy<> {
  static constexpr dma::Completion completion = dma::Completion::transaction;
};

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Tile = dma::Sequential<float, 64>;
#if defined(DMA_MISTAKE)
using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>, dma::NamedBarrier, Counted>;
#else
using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Warps>, dma::CudaBarrier, Counted>;
#endif

Pipe::Storage storage;
