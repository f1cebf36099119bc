#pragma once

#include <dma/config.hpp>
#include <dma/machine/access.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/scope.hpp>
#include <dma/machine/site.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/sync/barrier.hpp>
#include <dma/sync/cuda_barrier.hpp>

namespace dma::inline v0_1 {

/// A barrier of loads for products of a pair of CTAs (`TensorMemory<Columns, 2>`): each CTA loads its half into a slot
/// at the same place, the products of the even CTA read both, and their arrival releases both.
///
/// A warp that waits for a full slot waits for its own CTA's copies. That of the odd CTA then arrives at a second
/// barrier of the even CTA, for which that one's waits: behind its wait, both slots are full. A release
/// (`AsyncReads::release_when_read`) is one arrival in each CTA, by the products that the even CTA has started.
///
/// The CTAs of a pair move the same number of tiles. The DMA warps wait for the last release of each slot, so that no
/// CTA ends while products read its slots. Construction synchronizes the cluster.
///
/// Cost    32 bytes a stage; an arrival of the odd CTA and a wait of the even one more for each slot
/// Source  PTX ISA, tcgen05.commit, mbarrier, mapa
///
/// @pre sm_100a, sm_103a or sm_110a; a kernel body with an even `KernelTraits::cluster`. One warp of a CTA uses the
///      slots (`UsedBy`).
struct PairBarrier {
  struct State {
    CudaBarrier::State own;  ///< of this CTA: arrivals and bytes
    CudaBarrier::State odd;  ///< of the even CTA: the odd one's slot is full
  };
  static constexpr int ids = 0;
  static constexpr bool needs_drain = true;
  static constexpr Scope scope = Scope::cluster;

  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool supports(Completion completion) noexcept {
    return completion == Completion::sync || completion == Completion::mbarrier_complete_tx;
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool completes_asynchronously(Completion completion) noexcept {
    return supports(completion);
  }

  /// @pre One thread calls it, and the cluster synchronizes before another uses the barrier.
  template <Participants participants, Completion completion>
  DMA_HOST_DEVICE static void open(BarrierPoint<State> point) {
    machine::expect_architecture<900, Constant<participants>>();
    static_assert(participants.arriving == warp_size || completion != Completion::sync,
                  "dma::PairBarrier: products of a pair release a slot by one arrival, and several warps use it; name "
                  "the one that starts them: dma::UsedBy<Group, Buffering>");
    machine::phase_init(&point.state->own, participants.arriving / warp_size);
    machine::phase_init(&point.state->odd, participants.waiting / warp_size);
  }
  /// @pre No thread of the cluster uses the barrier any more.
  DMA_HOST_DEVICE static void close(BarrierPoint<State> point) {
    machine::phase_invalidate(&point.state->own);
    machine::phase_invalidate(&point.state->odd);
  }

  template <Participants participants, Lanes lanes>
  DMA_HOST_DEVICE static void arrive(BarrierPoint<State> point, const machine::Site& site) {
    CudaBarrier::arrive<participants, lanes>(own(point), site);
  }
  template <Completion completion, Participants participants, Lanes lanes>
  DMA_HOST_DEVICE static void arrive_after(BarrierPoint<State> point, int bytes, const machine::Site& site) {
    CudaBarrier::arrive_after<completion, participants, lanes>(own(point), bytes, site);
  }
  DMA_HOST_DEVICE static void expect(BarrierPoint<State> point, int bytes, const machine::Site& site) {
    CudaBarrier::expect(own(point), bytes, site);
  }
  /// One arrival in each CTA, when the products that the even one has started are complete.
  DMA_HOST_DEVICE static void arrive_when_multiplied(BarrierPoint<State> point, const machine::Site& site) {
    machine::sync_warp();
    if (machine::cluster_rank() % 2 == 0 && machine::elect()) {
      machine::phase_arrive_in_pair_when_multiplied(&point.state->own, site);
    }
  }
  /// Arrivals of products come from the other CTA.
  template <Participants participants, Lanes lanes>
  DMA_HOST_DEVICE static void wait(BarrierPoint<State> point, unsigned parity, const machine::Site& site) {
    machine::phase_wait_in_cluster(&point.state->own, parity, site);
  }
  /// Waits for this CTA's copies, and tells the even CTA of those of the odd one.
  template <Participants participants, Lanes lanes>
  DMA_HOST_DEVICE static void wait_for_copies(BarrierPoint<State> point, unsigned parity, const machine::Site& site) {
    CudaBarrier::wait<participants, lanes>(own(point), parity, site);
    const int rank = machine::cluster_rank();
    if (rank % 2 == 0) {
      machine::phase_wait_in_cluster(&point.state->odd, parity, site);
    } else {
      machine::sync_warp();
      if (machine::elect()) {
        machine::phase_arrive_at<Scope::cluster>(&point.state->odd, rank - 1, site);
      }
    }
  }

 private:
  [[nodiscard]] DMA_HOST_DEVICE static BarrierPoint<CudaBarrier::State> own(BarrierPoint<State> point) {
    return {&point.state->own, point.id};
  }
};

static_assert(Barrier<PairBarrier>);

}  // namespace dma::inline v0_1
