// error: dma::HandOff: nothing is stored to global memory, so its pattern is the tile itself; leave dma::Store out

#include <dma/dma.hpp>

using Layout = dma::WarpLayout<dma::Compute<4>, dma::Compute<4>, dma::Dma<1>>;
using Tile = dma::Sequential<float, 256>;
#if defined(DMA_MISTAKE)
using Scores = dma::HandOff<dma::Store<Tile>, dma::FromTo{.from = 0, .to = 1}, dma::MultiBuffer<Layout, 2>>;
#else
using Scores = dma::HandOff<Tile, dma::FromTo{.from = 0, .to = 1}, dma::MultiBuffer<Layout, 2>>;
#endif

static_assert(Scores::stages == 2);
