#pragma once

#include <dma/config.hpp>
#include <dma/machine/between_ctas.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/scope.hpp>
#include <dma/machine/site.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/sync/barrier.hpp>
#include <dma/sync/completion.hpp>
#include <dma/sync/cuda_barrier.hpp>

namespace dma {

/// An mbarrier a stage in each of the `Ctas` CTAs of a cluster, at which warps of all of them arrive: a slot is empty
/// when the consumers of every CTA have released theirs. It is the barrier of loads that one CTA issues for all
/// (`TensorCopyTuning::multicast`). The bytes of these are counted by each CTA's own barrier.
///
/// The CTAs of a cluster move the same number of tiles. Construction and `close()` synchronize the cluster. At the end
/// the DMA warps wait until all consumers have released the last tiles, so that no CTA ends before an arrival.
///
/// Cost    16 bytes a stage; `Ctas` arrivals a warp, at cluster scope
/// Source  PTX ISA, mbarrier, mapa
///
/// @pre sm_90 or newer; a kernel body with `KernelTraits{.cluster = Ctas}`.
template <int Ctas>
struct ClusterBarrier {
  static_assert(Ctas >= 1 && Ctas <= 16, "dma::ClusterBarrier: a cluster has 1 to 16 CTAs; give it that of the traits");

  using State = CudaBarrier::State;
  static constexpr int ids = 0;
  static constexpr bool needs_drain = true;
  static constexpr Scope scope = Scope::cluster;
  static constexpr int ctas = Ctas;

  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool supports(Completion completion) noexcept {
    return completion == Completion::sync || completion == Completion::mbarrier_complete_tx;
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool completes_asynchronously(Completion completion) noexcept {
    return supports(completion);
  }

  /// Loads that the barrier counts are announced by the warps of its own CTA alone.
  ///
  /// @pre One thread calls it, and the cluster synchronizes before another uses the barrier.
  template <Participants participants, Completion completion>
  DMA_HOST_DEVICE static void open(BarrierPoint<State> point) {
    machine::expect_architecture<900, Constant<participants>>();
    DMA_EXPECTS(machine::cluster_size() == Ctas,
                "dma::ClusterBarrier: the cluster has another number of CTAs than the barrier; give the kernel body's "
                "KernelTraits::cluster",
                "cluster", machine::cluster_size(), "ClusterBarrier", Ctas);
    constexpr int arriving_ctas = completion == Completion::mbarrier_complete_tx ? 1 : Ctas;
    machine::phase_init(point.state, participants.arriving / warp_size * arriving_ctas);
  }
  /// @pre No thread of the cluster uses the barrier any more.
  DMA_HOST_DEVICE static void close(BarrierPoint<State> point) { machine::phase_invalidate(point.state); }

  /// Arrives for the warp in each CTA: a lane for each, after `sync_warp`.
  template <Participants participants, Lanes lanes>
  DMA_HOST_DEVICE static void arrive(BarrierPoint<State> point, const machine::Site& site) {
    machine::sync_warp();
    if (const int lane = machine::thread_rank() % warp_size; lane < Ctas) {
      machine::phase_arrive_at<scope>(point.state, lane, site);
    }
  }
  /// Arrives in this CTA alone, for `bytes` of bulk copies that are for it, whichever CTA issues them.
  template <Completion completion, Participants participants, Lanes lanes>
  DMA_HOST_DEVICE static void arrive_after(BarrierPoint<State> point, int bytes, const machine::Site& site) {
    CudaBarrier::arrive_after<completion, participants, lanes>(point, bytes, site);
  }
  DMA_HOST_DEVICE static void expect(BarrierPoint<State> point, int bytes, const machine::Site& site) {
    CudaBarrier::expect(point, bytes, site);
  }
  template <Participants participants, Lanes lanes>
  DMA_HOST_DEVICE static void wait(BarrierPoint<State> point, unsigned parity, const machine::Site& site) {
    machine::phase_wait_in_cluster(point.state, parity, site);
  }
};

static_assert(Barrier<ClusterBarrier<2>>);

}  // namespace dma
