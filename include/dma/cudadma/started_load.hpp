#pragma once

#include <dma/config.hpp>
#include <dma/cudadma/phase_door.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/site.hpp>
#include <dma/pipeline/dma_handle.hpp>
#include <dma/pipeline/read_ahead.hpp>

namespace dma::inline v0_1::cudadma {

/// The engine can read a full tile of the pattern, or its first accesses, before its slot is empty.
template <class Engine, class Pattern>
concept EngineReadsAhead = requires {
  requires Engine::template can_read_ahead<Pattern>;
};

/// What is kept of a tile whose load has been started: nothing where the first phase has moved it.
template <class Pipeline>
struct StartedTile {
  static constexpr bool reads_ahead = false;
};
template <class Pipeline>
  requires EngineReadsAhead<typename Pipeline::Engine, typename Pipeline::Pattern>
struct StartedTile<Pipeline> : detail::TileAhead<Pipeline> {
  static constexpr bool reads_ahead = true;
};

/// A load between its two phases: `start_load` returns it, and `finish()` or the end of its scope finishes
/// it. Collective over the DMA warps of all the pipeline's groups, as `load` is.
///
///     auto next = dma::cudadma::start_load(dma, x);
///     ...                            // other work of the DMA warps, while the reads are in flight
///     next.finish();
///
/// What each phase does follows from the engine:
///
/// - `RegisterCopy` reads the tile in the first, without a wait, and waits for an empty slot, writes and signals in the
///   second. It reads up to `loads_in_flight` accesses a thread of a full tile; the rest, and all of a partial tile,
///   moves in the second phase;
/// - asynchronous copies that the barrier tracks, and engines that cannot read ahead, do everything in the first;
/// - cp.async over `NamedBarrier` waits for an empty slot and issues the copies in the first, waits for these and
///   signals in the second.
///
/// Moving transfers the load, so that it can be carried from one round of a loop to the next.
///
/// Cost    the registers of the accesses that are in flight
/// Source  start_xfer_async and wait_xfer_finish of CudaDMA 2.0
///
/// @pre A pipeline has one load at a time that is started and not finished.
template <class Pipeline>
class StartedLoad {
 public:
  DMA_HOST_DEVICE StartedLoad(Pipeline& pipeline, typename Pipeline::Source source,
                              const typename Pipeline::Pattern& pattern, machine::SourceLocation caller)
      : pipeline_(&pipeline), caller_(caller.of_scope()) {
    detail::PhaseDoor::start(*pipeline_, tile_, source, pattern, caller);
  }
  DMA_HOST_DEVICE ~StartedLoad() noexcept(false) {
    if (!machine::is_unwinding()) {
      finish(caller_);
    }
  }
  DMA_HOST_DEVICE StartedLoad(StartedLoad&& other) noexcept
      : pipeline_(other.pipeline_), tile_(other.tile_), is_finished_(other.is_finished_), caller_(other.caller_) {
    other.is_finished_ = true;
  }
  DMA_HOST_DEVICE StartedLoad& operator=(StartedLoad&& other) noexcept(false) {
    finish(caller_);
    pipeline_ = other.pipeline_;
    tile_ = other.tile_;
    is_finished_ = other.is_finished_;
    caller_ = other.caller_;
    other.is_finished_ = true;
    return *this;
  }

  /// The second phase. A second call does nothing.
  DMA_HOST_DEVICE void finish(machine::SourceLocation caller = machine::SourceLocation::here()) {
    if (!is_finished_) {
      is_finished_ = true;
      detail::PhaseDoor::finish(*pipeline_, tile_, caller);
    }
  }

 private:
  Pipeline* pipeline_;
  StartedTile<Pipeline> tile_ = {};
  bool is_finished_ = false;
  machine::SourceLocation caller_;  ///< of the start; empty on a GPU
};

/// `load` in two phases: begins to move the next tile, and `StartedLoad::finish` completes it. Registers read before
/// the slot is empty; `StartedLoad` has the other engines.
///
/// Collective over the DMA warps of all the pipeline's groups, as `load` is.
template <class Pipeline>
[[nodiscard]] DMA_HOST_DEVICE StartedLoad<Pipeline> start_load(
    const DmaHandle<Pipeline>& dma, typename Pipeline::Source source, const typename Pipeline::Pattern& pattern = {},
    machine::SourceLocation caller = machine::SourceLocation::here()) {
  static_assert(!Pipeline::is_store,
                "dma::cudadma::start_load: this pipeline stores, and a store waits for its slot first; call store()");
  static_assert(!Pipeline::is_update,
                "dma::cudadma::start_load: a dma::Update loads and stores each tile, for which it has load(), store() "
                "and for_each_tile() only; use these, or a pipeline for each direction");
  return StartedLoad<Pipeline>(detail::PhaseDoor::pipeline_of(dma), source, pattern, caller);
}
/// The same in `for_each_tile`, where the engine reads tiles ahead: the tiles before are in their slots first.
template <class Pipeline, int Ahead>
[[nodiscard]] DMA_HOST_DEVICE StartedLoad<Pipeline> start_load(
    const detail::ReadAheadHandle<Pipeline, Ahead>& dma, typename Pipeline::Source source,
    const typename Pipeline::Pattern& pattern = {}, machine::SourceLocation caller = machine::SourceLocation::here()) {
  return start_load(static_cast<DmaHandle<Pipeline>>(dma), source, pattern, caller);
}

}  // namespace dma::inline v0_1::cudadma
