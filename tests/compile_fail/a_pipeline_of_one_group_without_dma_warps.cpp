// error: dma::UsedBy: on a layout without DMA warps every warp moves the tiles and uses them; give it a dma::Dma<...>, or leave dma::UsedBy out

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Layout = dma::WarpLayout<dma::Compute<4>, dma::Compute<4>>;
#else
using Layout = dma::WarpLayout<dma::Compute<4>, dma::Compute<4>, dma::Dma<1>>;
#endif
using Pipe = dma::DmaPipeline<dma::Sequential<float, 256>, dma::UsedBy<1, dma::MultiBuffer<Layout, 2>>>;

static_assert(Pipe::stages == 2);
