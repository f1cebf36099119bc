#pragma once

#include <dma/config.hpp>
#include <dma/engines/copy_engine.hpp>
#include <dma/sync/barrier.hpp>
#include <dma/thresholds.hpp>

namespace dma::inline v0_1 {

template <class Pattern, class Buffering, class Sync, class Engine>
class DmaPipeline;

namespace detail {

template <class T>
class SlotRing;

/// The policies of a pipeline and what follows from them: the one parameter of its ring and of its sides.
///
/// A ring needs `Owner`, whose name stands in messages, `Pattern`, `Buffering`, `Sync` and `completion`. A side that
/// waits for its slots also needs `Ring`, `store_completion` and `expect_waits`; the side that moves tiles, `Engine`.
template <class Pattern_, class Buffering_, class Sync_, class Engine_>
struct PipelineTypes {
  using Owner = DmaPipeline<Pattern_, Buffering_, Sync_, Engine_>;
  using Pattern = Pattern_;
  using Buffering = Buffering_;
  using Sync = Sync_;
  using Engine = Engine_;
  using Ring = SlotRing<PipelineTypes>;

  /// How the copies of this pipeline's direction complete; of an update, the loads.
  static constexpr Completion completion = completion_of<Engine, Pattern>();
  static constexpr Completion store_completion = store_completion_of<Engine, Pattern>();

  /// Reports a thread that waits for a slot and is not of a compute warp.
  DMA_HOST_DEVICE static void expect_waits(const Ring& ring) {
    DMA_EXPECTS(ring.computes(),
                "dma::ComputeHandle: wait() is for compute warps; take the handle from as_compute() in one of them");
  }
};

/// What explanations and other parts of the library ask of a pipeline, and no user's code does.
template <class Pipeline>
struct PipelineFacts {
  using Users = typename Pipeline::Users;  ///< the compute warps that use its tiles: `UsedBy`

  static constexpr bool slots_begin_held = Pipeline::Ring::slots_begin_held;  ///< with the compute warps
  static constexpr Thresholds thresholds = Pipeline::Ring::thresholds;        ///< that its defaults go by: `Tuned`
  static constexpr Completion completion = Pipeline::completion;              ///< of its loads, or of its stores
  static constexpr int moving_threads = Pipeline::moving_threads;             ///< that move a tile together
  static constexpr int tiles_in_flight = Pipeline::tiles_in_flight;  ///< the most whose copies are in flight at a time
  /// Tiles whose reads a DMA warp has in flight in `for_each_tile`, in registers.
  static constexpr int tiles_read_ahead = Pipeline::tiles_read_ahead;

  [[nodiscard]] static consteval bool supports(Completion other) { return Pipeline::Types::Sync::supports(other); }
  [[nodiscard]] static consteval bool completes_asynchronously(Completion other) {
    return Pipeline::Types::Sync::completes_asynchronously(other);
  }
  /// Whether tiles are in flight while the DMA warps go on to the next.
  static constexpr bool copies_are_asynchronous = Pipeline::Types::Sync::completes_asynchronously(completion);
};

}  // namespace detail

}  // namespace dma::inline v0_1
