#pragma once

#include <dma/dma.hpp>

/// A barrier at which every thread arrives for itself, on one mbarrier a synchronization point.
///
/// `dma::CudaBarrier` synchronizes a warp and lets one lane arrive. Here the lanes of a warp need not synchronize: one
/// that leaves a branch early arrives early. The cost is 32 arrivals a warp instead of one.
struct EachArrives {
  struct State {
    alignas(8) unsigned char bytes[8];
  };

  static constexpr int ids = 0;
  static constexpr bool needs_drain = false;

  DMA_HOST_DEVICE static constexpr bool supports(dma::Completion completion) {
    return completion != dma::Completion::mbarrier_complete_tx;
  }
  DMA_HOST_DEVICE static constexpr bool completes_asynchronously(dma::Completion completion) {
    return completion == dma::Completion::sync || completion == dma::Completion::async_group;
  }

  /// After cp.async a thread arrives twice: when its copies are complete, and directly.
  template <dma::Participants participants, dma::Completion completion>
  DMA_HOST_DEVICE static void open(dma::BarrierPoint<State> point) {
    constexpr int arrivals_a_thread = completion == dma::Completion::async_group ? 2 : 1;
    dma::machine::phase_init(point.state, arrivals_a_thread * participants.arriving);
  }
  DMA_HOST_DEVICE static void close(dma::BarrierPoint<State> point) { dma::machine::phase_invalidate(point.state); }

  template <dma::Participants participants, dma::Lanes lanes>
  DMA_HOST_DEVICE static void arrive(dma::BarrierPoint<State> point, const dma::machine::Site& site) {
    dma::machine::phase_arrive(point.state, site);
  }
  template <dma::Completion completion, dma::Participants participants, dma::Lanes lanes>
  DMA_HOST_DEVICE static void arrive_after(dma::BarrierPoint<State> point, int /*bytes*/,
                                           const dma::machine::Site& site) {
    static_assert(completion == dma::Completion::async_group);
    dma::machine::phase_arrive_when_copied(point.state, site);
    arrive<participants, lanes>(point, site);
  }

  template <dma::Participants participants, dma::Lanes lanes>
  DMA_HOST_DEVICE static void wait(dma::BarrierPoint<State> point, unsigned parity, const dma::machine::Site& site) {
    dma::machine::phase_wait(point.state, parity, site);
  }
  DMA_HOST_DEVICE static bool is_complete(dma::BarrierPoint<State> point, unsigned parity) {
    return dma::machine::phase_is_complete(point.state, parity);
  }
};
