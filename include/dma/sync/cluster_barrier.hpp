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

/// A barrier of loads that one CTA of a cluster issues for all (`TensorCopyTuning::multicast`): a slot is empty when
/// the consumers of every CTA have released theirs. The bytes of loads are counted by each CTA's own barrier.
///
/// Warps arrive at a barrier of their CTA, at CTA scope: consumers pay no more than with `CudaBarrier`. The DMA warps,
/// which wait for it, then arrive for their CTA at a second one in every CTA, and wait for theirs. That arrival
/// releases reads and writes of the CTA's shared memory at cluster scope. It orders nothing in global memory between
/// CTAs.
///
/// The CTAs of a cluster move the same number of tiles, so that each waits for all arrivals at its barriers, and for
/// all bytes, before it closes the pipeline or ends. Construction synchronizes the cluster.
///
/// Cost    32 bytes a stage; an arrival and a wait more for each DMA warp; before CUDA 12.7 a fence of all memory too
/// Source  PTX ISA, membar/fence (.sync_restrict), mbarrier, mapa
///
/// @pre sm_90 or newer; a kernel body with `KernelTraits{.cluster = Ctas}`.
template <int Ctas>
struct ClusterBarrier {
  static_assert(Ctas >= 1 && Ctas <= 16, "dma::ClusterBarrier: a cluster has 1 to 16 CTAs; give it that of the traits");

  struct State {
    CudaBarrier::State own;      ///< of this CTA: arrivals and bytes
    CudaBarrier::State of_ctas;  ///< of the cluster: arrivals of the warps that have waited for `own`
  };
  static constexpr int ids = 0;
  static constexpr bool needs_drain = false;
  static constexpr Scope scope = Scope::cluster;
  static constexpr int ctas = Ctas;

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
    DMA_EXPECTS(machine::cluster_size() == Ctas,
                "dma::ClusterBarrier: the cluster has another number of CTAs than the barrier; give the kernel body's "
                "KernelTraits::cluster",
                "cluster", machine::cluster_size(), "ClusterBarrier", Ctas);
    machine::phase_init(&point.state->own, participants.arriving / warp_size);
    machine::phase_init(&point.state->of_ctas, participants.waiting / warp_size * Ctas);
  }
  /// @pre No thread of the cluster uses the barrier any more.
  DMA_HOST_DEVICE static void close(BarrierPoint<State> point) {
    machine::phase_invalidate(&point.state->own);
    machine::phase_invalidate(&point.state->of_ctas);
  }

  template <Participants participants, Lanes lanes>
  DMA_HOST_DEVICE static void arrive(BarrierPoint<State> point, const machine::Site& site) {
    CudaBarrier::arrive<participants, lanes>(own(point), site);
  }
  /// @param bytes  of bulk copies for this CTA, whichever CTA issues them
  template <Completion completion, Participants participants, Lanes lanes>
  DMA_HOST_DEVICE static void arrive_after(BarrierPoint<State> point, int bytes, const machine::Site& site) {
    CudaBarrier::arrive_after<completion, participants, lanes>(own(point), bytes, site);
  }
  DMA_HOST_DEVICE static void expect(BarrierPoint<State> point, int bytes, const machine::Site& site) {
    CudaBarrier::expect(own(point), bytes, site);
  }
  /// Waits for the arrivals in this CTA, arrives for the warp in each CTA, a lane for each, and waits for theirs.
  template <Participants participants, Lanes lanes>
  DMA_HOST_DEVICE static void wait(BarrierPoint<State> point, unsigned parity, const machine::Site& site) {
    machine::phase_wait(&point.state->own, parity, site);
    if (const int lane = machine::thread_rank() % warp_size; lane < Ctas) {
      machine::phase_arrive_for_shared_at(&point.state->of_ctas, lane, site);
    }
    machine::phase_wait_in_cluster(&point.state->of_ctas, parity, site);
  }
  /// The wait for copies that this CTA's barrier counts.
  template <Participants participants, Lanes lanes>
  DMA_HOST_DEVICE static void wait_for_copies(BarrierPoint<State> point, unsigned parity, const machine::Site& site) {
    CudaBarrier::wait<participants, lanes>(own(point), parity, site);
  }

 private:
  [[nodiscard]] DMA_HOST_DEVICE static BarrierPoint<CudaBarrier::State> own(BarrierPoint<State> point) {
    return {&point.state->own, point.id};
  }
};

static_assert(Barrier<ClusterBarrier<2>>);

}  // namespace dma::inline v0_1
