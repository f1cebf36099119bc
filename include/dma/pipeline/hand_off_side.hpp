#pragma once

#include <dma/buffering/used_by.hpp>
#include <dma/config.hpp>
#include <dma/machine/machine.hpp>
#include <dma/patterns/store.hpp>
#include <dma/pipeline/compute_handle.hpp>
#include <dma/pipeline/compute_side.hpp>
#include <dma/pipeline/slot.hpp>
#include <dma/standard.hpp>
#include <dma/sync/completion.hpp>

namespace dma::detail {

/// A compute group of a hand-off waits for its slots: the producers where `Pattern` is a `Store`.
template <class Pattern>
struct HandOffGroupWaits {
  template <class Ring>
  DMA_HOST_DEVICE static void expect(const Ring& ring) {
    DMA_EXPECTS(is_store<Pattern> ? ring.moves() : ring.computes(),
                "dma::HandOff: wait() is for the compute group of this side; take the handle from as_producer() or "
                "as_consumer() in one of its warps");
  }
};

/// One side of a hand-off as a `ComputeHandle` sees it: a pipeline that stores to the producers, where `Pattern_` is a
/// `Store`, one that loads to the consumers.
template <class Ring, class Base, class Pattern_, int Group>
class HandOffSide
    : public ComputeSide<Base, Ring, Pattern_, HandOffGroupWaits<Pattern_>, Completion::sync, Completion::sync> {
  using Side = ComputeSide<Base, Ring, Pattern_, HandOffGroupWaits<Pattern_>, Completion::sync, Completion::sync>;

 public:
  using Pattern = Pattern_;
  using Layout = typename Ring::Layout;
  using Users = OneComputeGroup<Layout, Group>;

  static constexpr bool is_store = detail::is_store<Pattern>;
  static constexpr bool slots_begin_held = false;
  // Threads write the tile: `AsyncReads::begin` asks.
  static constexpr Completion completion = Completion::sync;
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

}  // namespace dma::detail
