#pragma once

#include <dma/buffering/buffering.hpp>
#include <dma/config.hpp>
#include <dma/cudadma/phase_door.hpp>
#include <dma/machine/site.hpp>
#include <dma/pipeline/compute_handle.hpp>
#include <dma/pipeline/pipeline_types.hpp>

namespace dma::inline v0_1::cudadma {

/// A buffering whose slots begin with the compute warps, as if they held a full tile in each: no tile is loaded before
/// they have called `open_slots`, in which they may write what no load overwrites, for example zeros beside the rows of
/// a tile.
///
///     using Pipe = dma::DmaPipeline<Tile, dma::cudadma::BeginsHeld<dma::MultiBuffer<Layout, 4>>>;
///
/// Without it slots begin empty, and the DMA warps fill them at once.
///
/// Source  SC'11, figures 4 and 6: the first start_async_dma of the compute warps
template <Buffering B>
struct BeginsHeld : B {
  static constexpr bool slots_begin_held = true;
};

/// Calls `body(slot)` for each slot of a pipeline whose buffering is `BeginsHeld`, and releases it for its first tile.
/// The body may write what no load overwrites, for example zeros beside a tile's rows.
///
///     dma::cudadma::open_slots(compute, [&](auto& slot) { ... });
///
/// Collective over the compute warps: each calls it once, before its first `wait`, also where there are no tiles.
template <class Pipeline, class Body>
DMA_HOST_DEVICE void open_slots(const ComputeHandle<Pipeline>& compute, const Body& body,
                                machine::SourceLocation caller = machine::SourceLocation::here()) {
  static_assert(detail::PipelineFacts<Pipeline>::slots_begin_held,
                "dma::cudadma::open_slots: the slots of this pipeline begin empty, with the DMA warps; put "
                "dma::cudadma::BeginsHeld<...> around its buffering");
  detail::PhaseDoor::open_slots(detail::PhaseDoor::pipeline_of(compute), body, caller);
}

}  // namespace dma::inline v0_1::cudadma
