#pragma once

#include <dma/config.hpp>
#include <dma/machine/site.hpp>
#include <dma/pipeline/slot.hpp>

namespace dma::inline v0_1::detail {

/// What the calls of `dma::cudadma` need of a pipeline beyond its handles: a load in two phases, and slots that begin
/// held.
struct PhaseDoor {
  template <class Handle>
  [[nodiscard]] DMA_HOST_DEVICE static auto& pipeline_of(const Handle& handle) {
    return *handle.pipeline_;
  }

  /// The first half of a load. `tile` keeps what was read where its `reads_ahead` is true.
  template <class Pipeline, class Tile>
  DMA_HOST_DEVICE static void start(Pipeline& pipeline, Tile& tile, typename Pipeline::Source source,
                                    const typename Pipeline::Pattern& pattern, machine::SourceLocation caller) {
    Pipeline::Observer::called_from(caller);
    pipeline.start(tile, source, pattern);
  }
  template <class Pipeline, class Tile>
  DMA_HOST_DEVICE static void finish(Pipeline& pipeline, const Tile& tile, machine::SourceLocation caller) {
    Pipeline::Observer::called_from(caller);
    pipeline.finish_started(tile);
  }

  /// Calls `body(slot)` for each slot, which begins held, and releases it.
  template <class Pipeline, class Body>
  DMA_HOST_DEVICE static void open_slots(Pipeline& pipeline, const Body& body, machine::SourceLocation caller) {
    Pipeline::Observer::called_from(caller);
    for (int stage = 0; stage < Pipeline::stages; ++stage) {
      pipeline.ring_.works_on(machine::Call::open_slots, stage);
      DMA_EXPECTS(
          pipeline.ring_.computes(),
          "dma::cudadma::open_slots: it is for compute warps; take the handle from as_compute() in one of them");
      pipeline.observer_.opens(stage);
      Pipeline::Observer::holds(pipeline.ring_.tile(stage));
      Slot<Pipeline> slot(pipeline, stage, typename Pipeline::Pattern{}, caller.of_scope());
      body(slot);
    }
  }
};

}  // namespace dma::inline v0_1::detail
