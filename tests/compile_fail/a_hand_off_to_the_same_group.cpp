// error: dma::HandOff: a compute group hands over to itself, which would wait for itself; name two groups, or keep the tile in shared memory of the kernel's own

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
constexpr int to = 0;
#else
constexpr int to = 1;
#endif
using Layout = dma::WarpLayout<dma::Compute<4>, dma::Compute<4>>;
using Scores = dma::HandOff<dma::Sequential<float, 256>, dma::FromTo{.from = 0, .to = to}, dma::MultiBuffer<Layout, 2>>;

static_assert(Scores::stages == 2);
