// error: dma::Pace: with no slack each CTA would wait for all others before each tile; allow one tile or more

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Steady = dma::Pace<0>;
#else
using Steady = dma::Pace<1>;
#endif

static_assert(Steady::period >= 0);
