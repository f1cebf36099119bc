#pragma once

#include <dma/config.hpp>
#include <dma/machine/machine.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/sync/barrier.hpp>
#include <dma/sync/cuda_barrier.hpp>
#if defined(__CUDACC__)
#include <dma/sync/native_handle.hpp>
#endif

namespace dma::inline v0_1 {

/// A phase barrier that is libcu++'s class: each point is a `cuda::barrier<cuda::thread_scope_block>`, used by its
/// members and by the functions of `cuda::device`. For kernels that share a pipeline's barriers with code that takes a
/// `cuda::barrier`: `native_handle(state)` is the object.
///
/// `CudaBarrier` is the default. It has the same layout and protocol, and its instructions are used directly. This
/// class asks at run time which memory it is in, reads the clock and backs off between polls, and takes longer to
/// compile. `dma/dma.hpp` does not include this header.
///
/// On a host it is `CudaBarrier`, emulated and proved.
///
/// Cost    16 bytes a stage; one elected arrival a warp; for each wait a read of the clock, for each operation a test
///         of the address
/// Source  libcu++, cuda::barrier
///
/// @pre sm_80 or newer.
struct LibcuxxBarrier {
  /// Storage for one `cuda::barrier`, which `open` constructs and `close` destroys: the class itself is not trivial.
  using State = CudaBarrier::State;

  static constexpr int ids = CudaBarrier::ids;
  static constexpr bool needs_drain = CudaBarrier::needs_drain;

  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool supports(Completion) noexcept { return true; }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool completes_asynchronously(Completion) noexcept { return true; }

  /// `init`. @pre One thread calls it, and the CTA synchronizes before another uses the barrier.
  template <Participants participants, Completion completion>
  DMA_HOST_DEVICE static void open(BarrierPoint<State> point) {
#if defined(__CUDA_ARCH__)
    machine::expect_architecture<800, Constant<participants>>();
    constexpr int copying_threads = completion == Completion::async_group ? participants.arriving : 0;
    constexpr int arrivals = participants.arriving / warp_size + copying_threads;
    machine::begin_step(machine::Step::phase_init, point.state, arrivals);
    init(&native_handle(*point.state), arrivals);
#else
    CudaBarrier::open<participants, completion>(point);
#endif
  }

  /// The destructor. @pre No thread uses the barrier any more.
  DMA_HOST_DEVICE static void close(BarrierPoint<State> point) {
#if defined(__CUDA_ARCH__)
    using Native = ::cuda::barrier<::cuda::thread_scope_block>;
    machine::begin_step(machine::Step::phase_invalidate, point.state, 0);
    native_handle(*point.state).~Native();
#else
    CudaBarrier::close(point);
#endif
  }

  /// `arrive`, by one elected lane for its warp: what every lane wrote or read precedes the arrival.
  template <Participants participants, Lanes lanes>
  DMA_HOST_DEVICE static void arrive(BarrierPoint<State> point, const machine::Site& site) {
#if defined(__CUDA_ARCH__)
    machine::sync_warp();
    if (machine::elect()) {
      machine::begin_step(machine::Step::phase_arrive, point.state, 0);
      static_cast<void>(native_handle(*point.state).arrive());
      machine::end_step();
    }
#else
    CudaBarrier::arrive<participants, lanes>(point, site);
#endif
  }

  /// The same after asynchronous copies. Of cp.async each thread's copies arrive, at `barrier_native_handle`; the bytes
  /// of bulk copies are expected by `barrier_arrive_tx`.
  ///
  /// @param bytes  of this warp's bulk copies, 0 for other copies
  template <Completion completion, Participants participants, Lanes lanes>
  DMA_HOST_DEVICE static void arrive_after(BarrierPoint<State> point, [[maybe_unused]] int bytes,
                                           const machine::Site& site) {
    if constexpr (completion == Completion::async_group) {
#if defined(__CUDA_ARCH__)
      machine::phase_arrive_when_copied(::cuda::device::barrier_native_handle(native_handle(*point.state)), site);
#else
      machine::phase_arrive_when_copied(point.state, site);
#endif
      arrive<participants, lanes>(point, site);
    } else {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
      machine::sync_warp();
      if (machine::elect()) {
        machine::begin_step(machine::Step::phase_arrive, point.state, bytes);
        static_cast<void>(::cuda::device::barrier_arrive_tx(native_handle(*point.state), 1, bytes));
      }
#else
      CudaBarrier::arrive_after<completion, participants, lanes>(point, bytes, site);
#endif
    }
  }

  /// `barrier_expect_tx`: bytes of bulk copies that this phase expects, before the arrival. @pre One lane of a warp
  /// calls it.
  DMA_HOST_DEVICE static void expect(BarrierPoint<State> point, int bytes, [[maybe_unused]] const machine::Site& site) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    machine::begin_step(machine::Step::phase_expect, point.state, bytes);
    ::cuda::device::barrier_expect_tx(native_handle(*point.state), bytes);
#else
    CudaBarrier::expect(point, bytes, site);
#endif
  }

  /// `wait_parity`, by all 32 lanes. The checked build polls, so that a wait that is too long ends with a message.
  template <Participants participants, Lanes lanes>
  DMA_HOST_DEVICE static void wait(BarrierPoint<State> point, unsigned parity,
                                   [[maybe_unused]] const machine::Site& site) {
#if defined(__CUDA_ARCH__)
    machine::begin_step(machine::Step::phase_wait, point.state, static_cast<int>(parity));
#if DMA_CHECKED
    machine::Watch watch(site, "phase parity", parity);
    while (!is_complete(point, parity)) {
      watch.look();
    }
#else
    native_handle(*point.state).wait_parity(parity != 0);
#endif
    machine::end_step();
#else
    CudaBarrier::wait<participants, lanes>(point, parity, site);
#endif
  }

  /// `try_wait_parity_for` no time. The class may suspend the thread for a while before it says no.
  [[nodiscard]] DMA_HOST_DEVICE static bool is_complete(BarrierPoint<State> point, unsigned parity) {
#if defined(__CUDA_ARCH__)
    return native_handle(*point.state).try_wait_parity_for(parity != 0, ::cuda::std::chrono::nanoseconds(0));
#else
    return CudaBarrier::is_complete(point, parity);
#endif
  }
};

static_assert(Barrier<LibcuxxBarrier>);

}  // namespace dma::inline v0_1
