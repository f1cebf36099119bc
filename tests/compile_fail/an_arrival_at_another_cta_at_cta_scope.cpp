// error: dma::PhaseBarrier: arrivals and bytes from another CTA are not ordered at CTA scope; use dma::PhaseBarrier<dma::Scope::cluster>

#include <dma/dma.hpp>

#if defined(DMA_MISTAKE)
void arrive(const dma::PhaseBarrier<>& barrier) { barrier.arrive_at(1); }
#else
void arrive(const dma::PhaseBarrier<dma::Scope::cluster>& barrier) { barrier.arrive_at(1); }
#endif
