#pragma once

#include <dma/config.hpp>
#include <dma/machine/machine.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/sync/barrier.hpp>
#include <dma/unrolled.hpp>

namespace dma::inline v0_1 {

/// A phase barrier in shared memory: `cuda::barrier<cuda::thread_scope_block>`, which on a GPU is one mbarrier object.
///
/// Their number is limited by shared memory alone, and only they count the bytes of bulk copies. The instructions are
/// used directly. The libcu++ class asks at run time which memory it is in and backs off between polls, and its header
/// takes longer to compile than a kernel. `dma/sync/native_handle.hpp` returns a state as that class; `LibcuxxBarrier`
/// is a barrier of its members.
///
/// Cost    16 bytes a stage; one elected arrival a warp
/// Source  PTX ISA, mbarrier
///
/// @pre sm_80 or newer.
struct CudaBarrier {
  /// Raw storage, so that a `__shared__` one is trivial and needs no dynamic initialization.
  struct State {
    alignas(8) unsigned char bytes[8];
  };

  static constexpr int ids = 0;
  static constexpr bool needs_drain = false;

  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool supports(Completion) noexcept { return true; }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool completes_asynchronously(Completion) noexcept { return true; }

  /// For cp.async, each thread's copies arrive too, beside the warps.
  ///
  /// @pre One thread calls it, and the CTA synchronizes before another uses the barrier.
  template <Participants participants, Completion completion>
  DMA_HOST_DEVICE static void open(BarrierPoint<State> point) {
    machine::expect_architecture<800, Constant<participants>>();
    constexpr int copying_threads = completion == Completion::async_group ? participants.arriving : 0;
    machine::phase_init(point.state, participants.arriving / warp_size + copying_threads);
  }

  /// @pre No thread uses the barrier any more.
  DMA_HOST_DEVICE static void close(BarrierPoint<State> point) { machine::phase_invalidate(point.state); }

  /// One elected lane arrives for its warp, after `sync_warp`: what every lane wrote or read precedes the arrival.
  ///
  /// Superfluous where lanes have touched nothing since the warp's last synchronization: at a release directly behind
  /// another one, of a slot that tensor cores alone have read, behind a bulk store whose leader is elected again. No
  /// barrier knows.
  template <Participants participants, Lanes lanes>
  DMA_HOST_DEVICE static void arrive(BarrierPoint<State> point, const machine::Site& site) {
    machine::sync_warp();
    if (machine::elect()) {
      machine::phase_arrive(point.state, site);
    }
  }

  /// The same after asynchronous copies: the phase also waits for their completion.
  ///
  /// @param bytes  of this warp's bulk copies, 0 for other copies
  template <Completion completion, Participants participants, Lanes lanes>
  DMA_HOST_DEVICE static void arrive_after(BarrierPoint<State> point, [[maybe_unused]] int bytes,
                                           const machine::Site& site) {
    if constexpr (completion == Completion::async_group) {
      machine::phase_arrive_when_copied(point.state, site);
      arrive<participants, lanes>(point, site);
    } else {
      // Superfluous where one lane alone has copied, as the election waits for the others. Engines whose lanes write
      // beside their bulk copies, paddings and tails, need it.
      machine::sync_warp();
      if (machine::elect()) {
        machine::phase_arrive_expecting(point.state, bytes, site);
      }
    }
  }
  /// The same when the products into tensor memory that the elected lane has started are complete.
  DMA_HOST_DEVICE static void arrive_when_multiplied(BarrierPoint<State> point, const machine::Site& site) {
    machine::sync_warp();
    if (machine::elect()) {
      machine::phase_arrive_when_multiplied(point.state, site);
    }
  }
  /// Bytes of bulk copies that this phase expects, before the arrival. @pre One lane of a warp calls it.
  DMA_HOST_DEVICE static void expect(BarrierPoint<State> point, int bytes, const machine::Site& site) {
    machine::phase_expect(point.state, bytes, site);
  }

  /// All 32 lanes wait: a lane that skipped a phase could mistake an older phase of equal parity for the current one.
  template <Participants participants, Lanes lanes>
  DMA_HOST_DEVICE static void wait(BarrierPoint<State> point, unsigned parity, const machine::Site& site) {
    machine::phase_wait(point.state, parity, site);
  }

  [[nodiscard]] DMA_HOST_DEVICE static bool is_complete(BarrierPoint<State> point, unsigned parity) {
    return machine::phase_is_complete(point.state, parity);
  }
};

static_assert(Barrier<CudaBarrier>);

}  // namespace dma::inline v0_1
