#pragma once

#include <dma/config.hpp>
#include <dma/machine/machine.hpp>
#include <dma/sync/barrier.hpp>

namespace dma::inline v0_1 {

/// The 16 named barriers that the hardware keeps for a CTA, by number: 0 is `__syncthreads`, 1 to 15 are free for a
/// kernel.
///
/// Cost    one instruction on each side and no shared memory. A kernel reserves as many as its highest number asks for,
///         and an SM has 64: `Explanation::reserved_barriers`. With more than one stage the numbers are immediates, by
///         a branch, where more than 4 CTAs would fit an SM; otherwise a register, for which all 16 are reserved.
/// Source  SC'11, section 4.2 and figure 6; PTX ISA, barrier.cta
///
/// @pre A pipeline uses two for each stage, an `Update` that several warps move three. Each of G DMA groups has up to
///      15 / G, fewer beside several compute groups; a pipeline that needs more does not compile.
struct NamedBarrier {
  struct State {};

  static constexpr int ids = 1;
  static constexpr bool needs_drain = true;

  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool supports(Completion completion) noexcept {
    return completion != Completion::mbarrier_complete_tx;
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool completes_asynchronously(Completion completion) noexcept {
    return completion == Completion::sync;
  }

  template <Participants participants, Completion completion>
  DMA_HOST_DEVICE static void open(BarrierPoint<State>) {}
  DMA_HOST_DEVICE static void close(BarrierPoint<State>) {}

  /// Where the same threads arrive and wait, `wait` is their arrival: a second one would count twice.
  template <Participants participants, Lanes lanes>
  DMA_HOST_DEVICE static void arrive(BarrierPoint<State> point, const machine::Site& site) {
    if constexpr (!participants.are_same) {
      bring_together<lanes>();
      machine::barrier_arrive(point.id, threads(participants), site);
    }
  }

  /// The same after asynchronous copies, which the thread waits for.
  template <Completion completion, Participants participants, Lanes lanes>
  DMA_HOST_DEVICE static void arrive_after(BarrierPoint<State> point, int /*bytes*/, const machine::Site& site) {
    static_assert(completion == Completion::async_group);
    machine::wait_for_async_copies();
    arrive<participants, lanes>(point, site);
  }

  template <Participants participants, Lanes lanes>
  DMA_HOST_DEVICE static void wait(BarrierPoint<State> point, unsigned /*parity*/, const machine::Site& site) {
    bring_together<lanes>();
    machine::barrier_sync(point.id, threads(participants), site);
  }

 private:
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int threads(Participants participants) noexcept {
    return participants.are_same ? participants.waiting : participants.arriving + participants.waiting;
  }

  /// The instructions are `.aligned`: the lanes of a warp must be converged.
  template <Lanes lanes>
  DMA_HOST_DEVICE static void bring_together() {
    if constexpr (lanes == Lanes::unknown) {
      machine::sync_warp();
    }
  }
};

static_assert(Barrier<NamedBarrier>);

}  // namespace dma::inline v0_1
