// error: dma::Buffering: the layout has fewer DMA groups than this buffering uses (dma::DoubleBuffer uses two); add a dma::Dma<...> to the WarpLayout, or use dma::ManualDoubleBuffer, which needs one

#include <dma/dma.hpp>

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
#if defined(DMA_MISTAKE)
using Pipe = dma::DmaPipeline<dma::Sequential<float, 64>, dma::DoubleBuffer<Warps>>;
#else
using Pipe = dma::DmaPipeline<dma::Sequential<float, 64>, dma::ManualDoubleBuffer<Warps>>;
#endif

Pipe::Storage storage;
