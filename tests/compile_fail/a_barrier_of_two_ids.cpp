// error: dma::Barrier: this barrier's 'ids' is neither 0 nor 1, and a synchronization point has one hardware barrier at most; use one, or keep the rest in 'State'

#include <dma/dma.hpp>

struct Barrier {
  struct State {};
#if defined(DMA_MISTAKE)
  static constexpr int ids = 2;
#else
  static constexpr int ids = 1;
#endif
  static constexpr bool needs_drain = true;
  DMA_HOST_DEVICE static constexpr bool supports(dma::Completion c) { return c == dma::Completion::sync; }
  DMA_HOST_DEVICE static constexpr bool completes_asynchronously(dma::Completion) { return false; }
  template <dma::Participants, dma::Completion>
  DMA_HOST_DEVICE static void open(dma::BarrierPoint<State>) {}
  DMA_HOST_DEVICE static void close(dma::BarrierPoint<State>) {}
  template <dma::Participants participants, dma::Lanes>
  DMA_HOST_DEVICE static void arrive(dma::BarrierPoint<State> point, const dma::machine::Site& site) {
    dma::machine::sync_warp();
    dma::machine::barrier_arrive(point.id, participants.arriving + participants.waiting, site);
  }
  template <dma::Participants participants, dma::Lanes>
  DMA_HOST_DEVICE static void wait(dma::BarrierPoint<State> point, unsigned, const dma::machine::Site& site) {
    dma::machine::sync_warp();
    dma::machine::barrier_sync(point.id, participants.arriving + participants.waiting, site);
  }
};

using Warps = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
using Pipe = dma::DmaPipeline<dma::Sequential<float, 64>, dma::SingleBuffer<Warps>, Barrier>;

Pipe::Storage storage;
