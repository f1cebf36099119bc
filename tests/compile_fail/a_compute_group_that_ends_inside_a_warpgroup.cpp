// error: dma::WarpLayout: whole warpgroups release and acquire registers, and a compute group is followed by one of another budget within its last warpgroup; make its warps a multiple of 4, or the budgets equal

#include <dma/dma.hpp>

template <int Warps>
using Layout = dma::WarpLayout<dma::Compute<Warps, dma::Registers{200}>, dma::Compute<4, dma::Registers{160}>,
                               dma::Dma<1, dma::Registers{24}>>;

#if defined(DMA_MISTAKE)
using Warps = Layout<2>;
#else
using Warps = Layout<4>;
#endif

static_assert(Warps::threads > 0);
