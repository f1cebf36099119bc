// error: dma::HandOff: no DMA group fills its slots, and they begin empty; give it a dma::MultiBuffer of one group, without dma::cudadma::BeginsHeld

#include <dma/dma.hpp>

using Layout = dma::WarpLayout<dma::Compute<4>, dma::Compute<4>, dma::Dma<1>, dma::Dma<1>>;
#if defined(DMA_MISTAKE)
using Buffers = dma::DoubleBuffer<Layout>;
#else
using Buffers = dma::ManualDoubleBuffer<Layout>;
#endif
using Scores = dma::HandOff<dma::Sequential<float, 256>, dma::FromTo{.from = 0, .to = 1}, Buffers>;

static_assert(Scores::stages == 2);
