// error: dma::HandOff: the layout has no compute group of this number, which counts from 0; add a dma::Compute<...> to the WarpLayout, or name another group

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Layout = dma::WarpLayout<dma::Compute<8>, dma::Dma<1>>;
#else
using Layout = dma::WarpLayout<dma::Compute<4>, dma::Compute<4>, dma::Dma<1>>;
#endif
using Scores = dma::HandOff<dma::Sequential<float, 256>, dma::FromTo{.from = 0, .to = 1}, dma::MultiBuffer<Layout, 2>>;

static_assert(Scores::stages == 2);
