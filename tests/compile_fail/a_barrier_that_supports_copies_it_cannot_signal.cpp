// error: dma::Barrier: this barrier supports asynchronous copies and has no 'arrive_after'; add 'template <dma::Completion completion, dma::Participants participants, dma::Lanes lanes> static void arrive_after(dma::BarrierPoint<State> point, int bytes, const dma::machine::Site& site)', or return false from 'supports'

#include <dma/dma.hpp>

struct Barrier {
  struct State {};
  static constexpr int ids = 1;
  static constexpr bool needs_drain = true;
#if defined(DMA_MISTAKE)
  DMA_HOST_DEVICE static constexpr bool supports(dma::Completion) { return true; }
#else
  DMA_HOST_DEVICE static constexpr bool supports(dma::Completion c) { return c == dma::Completion::sync; }
#endif
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
