// error: dma::HandOff: its stages need more named barriers than the share of the DMA group that its buffering names; use fewer stages, or dma::CudaBarrier

#include <dma/dma.hpp>

using Layout = dma::WarpLayout<dma::Compute<4>, dma::Compute<4>, dma::Dma<1>, dma::Dma<1>>;
#if defined(DMA_MISTAKE)
constexpr int stages = 3;
#else
constexpr int stages = 2;
#endif
using Scores = dma::HandOff<dma::Sequential<float, 256>, dma::FromTo{.from = 0, .to = 1},
                            dma::MultiBuffer<Layout, stages, dma::DmaGroups{.first = 1}>, dma::NamedBarrier>;

static_assert(Scores::stages == stages);
