#pragma once

#include <dma/buffering/used_by.hpp>
#include <dma/config.hpp>
#include <dma/machine/machine.hpp>
#include <dma/patterns/store.hpp>
#include <dma/pipeline/compute_handle.hpp>
#include <dma/pipeline/compute_side.hpp>
#include <dma/pipeline/slot.hpp>
#include <dma/standard.hpp>
#include <dma/sync/barrier.hpp>

namespace dma::inline v0_1::detail {

/// One side of a hand-off as a `ComputeHandle` sees it: a pipeline that stores to the producers, where the pattern is a
/// `Store`, one that loads to the consumers.
///
/// @param T  as `PipelineTypes`, with the `group` of this side
template <class T, class Base = SharedRing<T>>
class HandOffSide : public ComputeSide<T, Base> {
  using Side = ComputeSide<T, Base>;

 public:
  using Pattern = typename T::Pattern;
  using Layout = typename T::Ring::Layout;
  using Users = OneComputeGroup<Layout, T::group>;

  static constexpr bool is_store = detail::is_store<Pattern>;
  static constexpr bool slots_begin_held = false;
  // Threads write the tile: `AsyncReads::begin` asks.
  static constexpr Completion completion = T::completion;
  using Source = const typename Pattern::Element*;

 protected:
  using Side::observer_;
  using Side::Side;
  using typename Side::Observer;

  DMA_HOST_DEVICE void closes() {
    // Of this side; the other one has an observer of its own.
    observer_.closes();
  }

 private:
  friend class ComputeHandle<HandOffSide>;
  friend class Slot<HandOffSide>;
};

}  // namespace dma::v0_1::detail
