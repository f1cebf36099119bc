// error: dma::PhaseBarrier: an mbarrier is in shared memory, which no other cluster has; use Scope::cta or Scope::cluster, and dma::atomic_ref beyond a cluster

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
using Barrier = dma::PhaseBarrier<dma::Scope::gpu>;
#else
using Barrier = dma::PhaseBarrier<dma::Scope::cluster>;
#endif

void kernel(const dma::Cta& cta, Barrier::State& state) { Barrier barrier(cta, state, 1); }
