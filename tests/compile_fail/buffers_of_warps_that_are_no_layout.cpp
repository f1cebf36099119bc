// error: dma::Buffering: this buffering's 'Layout' is not a dma::WarpLayout; make it one, for example dma::WarpLayout<dma::Compute<4>, dma::Dma<1>>

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Warps = dma::Compute<1>;
#else
using Warps = dma::WarpLayout<dma::Compute<1>>;
#endif
using Pipe = dma::DmaPipeline<dma::Sequential<float, 64>, dma::MultiBuffer<Warps>>;

Pipe::Storage storage;
