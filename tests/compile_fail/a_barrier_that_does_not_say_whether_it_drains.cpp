// error: dma::Barrier: this barrier has no 'needs_drain'; add 'static constexpr bool needs_drain = ...;', true where arrivals without a wait would stay pending when the kernel ends

#include <dma/dma.hpp>

struct Barrier {
  struct State {};
  static constexpr int ids = 1;
#if defined(DMA_MISTAKE)
  static constexpr bool need_drain = true;
#else
  static constexpr bool needs_drain = true;
#endif
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
