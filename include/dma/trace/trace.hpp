#pragma once

#include <dma/config.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/site.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/standard.hpp>
#include <dma/sync/barrier.hpp>

namespace dma::inline v0_1 {

/// What a warp does at one of a slot's barriers.
enum class TraceMark : unsigned char {
  nothing,  ///< an event that was not recorded: the buffer is zero before
  begins,   ///< the recording; of no slot
  waits,
  goes_on,  ///< after a wait
  arrives,
};

/// One entry of a trace: what a warp does at a slot, and when.
struct TraceEvent {
  unsigned long long time;  ///< cycles of the SM's clock; on a host, events that the CTA recorded before
  TraceMark mark;
  bool is_dma;   ///< whether a DMA warp does it, or one in that role, as the producer of a hand-off
  bool is_full;  ///< at the slot's *full*, else at its *empty*
  unsigned char warp;
  unsigned short pipeline;
  unsigned short slot;
};

/// Where a kernel's recordings go, in global memory.
struct TraceBuffer {
  TraceEvent* events;  ///< (cta, warp, event), zero before the launch
  int ctas;            ///< that record: the first ones of the grid
  int events_a_warp;   ///< later ones are left out
};

/// What a CTA that records keeps in shared memory.
struct TraceState {
  TraceEvent* events;  ///< of the CTA's first warp, null where the CTA does not record
  int events_a_warp;
  int recorded[detail::max_cta_threads / warp_size];
  unsigned long long steps;  ///< a host's time

  /// Called by one lane of a warp. The recorded time is that of the call.
  DMA_HOST_DEVICE void record(TraceMark mark, const machine::Site& site, int pipeline) {
    const unsigned long long now = machine::trace_time(steps);
    const int warp = machine::thread_rank() / warp_size;
    const int index = recorded[warp];
    if (events != nullptr && index < events_a_warp) {
      recorded[warp] = index + 1;
      events[warp * events_a_warp + index] = {
          now,
          mark,
          site.who == machine::Who::dma_warps || site.who == machine::Who::producers,
          site.point == machine::Point::full,
          static_cast<unsigned char>(warp),
          static_cast<unsigned short>(pipeline),
          static_cast<unsigned short>(site.stage)};
    }
  }
};

/// A barrier that also records when warps wait at it, go on and arrive. For a pipeline to be examined:
///
///     using Pipe = dma::DmaPipeline<Tile, dma::DoubleBuffer<Layout>, dma::Traced<dma::NamedBarrier>>;
///     ...
///     Pipe pipe(cta, shared.storage);
///     dma::start_trace(cta, buffer, shared.trace, shared.storage);
///
/// Participants, completion and ids are those of `Inner`. A pipeline without a started recording records nothing.
///
/// Cost    16 bytes of shared memory a barrier; for each event two reads of shared memory and a write to global memory,
///         by one lane of the warp, between two warp synchronizations
template <class Inner>
struct Traced {
  static_assert(detail::keeps_barrier_contract<Inner>());

  struct State {
    typename Inner::State inner;  ///< first, so that a pointer to the state is one to the barrier
    TraceState* trace;            ///< null until a recording is started
    int pipeline;
  };
  static_assert(stdlib::is_standard_layout_v<State>);

  static constexpr int ids = Inner::ids;
  static constexpr bool needs_drain = Inner::needs_drain;

  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool supports(Completion completion) noexcept {
    return Inner::supports(completion);
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr bool completes_asynchronously(Completion completion) noexcept {
    return Inner::completes_asynchronously(completion);
  }

  template <Participants participants, Completion completion>
  DMA_HOST_DEVICE static void open(BarrierPoint<State> point) {
    point.state->trace = nullptr;
    Inner::template open<participants, completion>(inner(point));
  }
  DMA_HOST_DEVICE static void close(BarrierPoint<State> point) { Inner::close(inner(point)); }

  /// Recorded before the arrival, so that no wait ends at an earlier time.
  template <Participants participants, Lanes lanes>
  DMA_HOST_DEVICE static void arrive(BarrierPoint<State> point, const machine::Site& site) {
    record(point, TraceMark::arrives, site);
    Inner::template arrive<participants, Lanes::converged>(inner(point), site);
  }
  template <Completion completion, Participants participants, Lanes lanes>
  DMA_HOST_DEVICE static void arrive_after(BarrierPoint<State> point, int bytes, const machine::Site& site) {
    record(point, TraceMark::arrives, site);
    Inner::template arrive_after<completion, participants, Lanes::converged>(inner(point), bytes, site);
  }
  DMA_HOST_DEVICE static void expect(BarrierPoint<State> point, int bytes, const machine::Site& site) {
    Inner::expect(inner(point), bytes, site);
  }

  template <Participants participants, Lanes lanes>
  DMA_HOST_DEVICE static void wait(BarrierPoint<State> point, unsigned parity, const machine::Site& site) {
    record(point, TraceMark::waits, site);
    Inner::template wait<participants, Lanes::converged>(inner(point), parity, site);
    record(point, TraceMark::goes_on, site);
  }

  [[nodiscard]] DMA_HOST_DEVICE static bool is_complete(BarrierPoint<State> point,
                                                        unsigned parity) requires PollableBarrier<Inner> {
    return Inner::is_complete(inner(point), parity);
  }

 private:
  [[nodiscard]] DMA_HOST_DEVICE static BarrierPoint<typename Inner::State> inner(BarrierPoint<State> point) {
    return {&point.state->inner, point.id};
  }
  /// The warp's lanes are converged afterwards.
  DMA_HOST_DEVICE static void record(BarrierPoint<State> point, TraceMark mark, const machine::Site& site) {
    if (point.state->trace != nullptr && machine::thread_rank() % warp_size == 0) {
      point.state->trace->record(mark, site, point.state->pipeline);
    }
    machine::sync_warp();
  }
};

namespace detail {

/// Whether a pipeline's storage is that of traced barriers.
template <class Storage>
concept TracedStorage = requires(Storage& storage) {
  { storage.full_states[0].trace } -> stdlib::same_as<TraceState*&>;
};

/// From here on the barriers of one pipeline record, as those of pipeline `number`.
template <class State, int Stages>
DMA_HOST_DEVICE void follow(BarrierStates<State, Stages>& barriers, TraceState& trace, int number) {
  for (int stage = 0; stage < Stages; ++stage) {
    for (State* barrier : {barriers.full(stage), barriers.empty(stage)}) {
      barrier->trace = &trace;
      barrier->pipeline = number;
    }
  }
}

}  // namespace detail

/// Begins a recording of these pipelines, the first of which is pipeline 0. Collective over the CTA, after the
/// pipelines' construction and before their first tile.
///
/// @param trace     in shared memory, beside the pipelines' storages
/// @param storages  of pipelines whose barrier is a `Traced`
template <class... Storages>
DMA_HOST_DEVICE void start_trace(const Cta& cta, const TraceBuffer& buffer, TraceState& trace, Storages&... storages) {
  constexpr bool are_traced = (detail::TracedStorage<Storages> && ...);
  static_assert(are_traced,
                "dma::start_trace: a pipeline's barrier records nothing; name it dma::Traced<dma::CudaBarrier>, or "
                "dma::Traced<dma::NamedBarrier>");
  if constexpr (are_traced) {
    if (cta.thread() == 0) {
      const Index3 blocks = cta.blocks();
      const Index3 block = cta.block();
      const int index = (block.z * blocks.y + block.y) * blocks.x + block.x;
      const long long events_a_cta = static_cast<long long>(machine::cta_threads() / warp_size) * buffer.events_a_warp;
      trace.events = index < buffer.ctas ? buffer.events + index * events_a_cta : nullptr;
      trace.events_a_warp = buffer.events_a_warp;
      for (int& recorded : trace.recorded) {
        recorded = 0;
      }
      trace.steps = 0;
      int number = 0;
      (detail::follow(storages, trace, number++), ...);
    }
    cta.sync();
    if (cta.lane() == 0) {
      trace.record(TraceMark::begins, {.stage = 0}, 0);
    }
    cta.sync_warp();
  }
}

}  // namespace dma::inline v0_1
