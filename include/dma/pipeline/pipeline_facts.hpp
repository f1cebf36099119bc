#pragma once

#include <dma/sync/barrier.hpp>
#include <dma/thresholds.hpp>

namespace dma::inline v0_1::detail {

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

}  // namespace dma::v0_1::detail
