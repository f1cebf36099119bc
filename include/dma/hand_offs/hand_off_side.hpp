#pragma once

#include <dma/buffering/buffering.hpp>
#include <dma/buffering/cursor.hpp>
#include <dma/buffering/observer.hpp>
#include <dma/buffering/slot.hpp>
#include <dma/buffering/used_by.hpp>
#include <dma/config.hpp>
#include <dma/handles.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/source_location.hpp>
#include <dma/patterns/store.hpp>
#include <dma/standard.hpp>
#include <dma/sync/barrier.hpp>
#include <dma/sync/completion.hpp>

namespace dma {

/// The slots of a hand-off, which both of its sides use.
template <class Ring>
class HandOffRing {
 protected:
  DMA_HOST_DEVICE HandOffRing(const Cta& cta, typename Ring::Storage& storage, machine::SourceLocation caller)
      : ring_(cta, storage, caller) {}

  Ring ring_;
};

/// One side of a hand-off as a `ComputeHandle` sees it: a pipeline that stores to the producers, where `Pattern_` is a
/// `Store`, one that loads to the consumers. The sides are bases of one object, one behind the other: a thread's ring
/// is in registers, which a pointer from one part of the object to another would prevent.
template <class Ring, class Base, class Pattern_, int Group>
class HandOffSide : public Base {
 public:
  using Pattern = Pattern_;
  using Layout = typename Ring::Layout;
  using Users = OneComputeGroup<Layout, Group>;

  static constexpr bool is_store = dma::is_store<Pattern>;
  static constexpr bool slots_begin_held = false;
  // Threads write the tile: `AsyncReads::begin` asks.
  static constexpr Completion completion = Completion::sync;
  using Source = const typename Pattern::Element*;

 protected:
  using Base::Base;
  using Base::ring_;
  using Observer = dma::Observer<Pattern, Ring::stages>;

  DMA_HOST_DEVICE void closes() const {
    // Of this side; the other one has an observer of its own.
    observer_.closes();
  }

 private:
  friend class ComputeHandle<HandOffSide>;
  friend class Slot<HandOffSide>;

  [[nodiscard]] DMA_HOST_DEVICE bool is_mine() const {
    if constexpr (is_store) {
      return ring_.moves();
    } else {
      return ring_.computes();
    }
  }
  /// Waits for the next slot: an empty one to fill, or a full one to use.
  [[nodiscard]] DMA_HOST_DEVICE unsigned char* wait_for_slot() {
    ring_.works_on(machine::Call::wait, ring_.compute_cursor().stage);
    DMA_EXPECTS(is_mine(),
                "dma::HandOff: wait() is for the compute group of this side; take the handle from as_producer() or "
                "as_consumer() in one of its warps");
    const Cursor& cursor = ring_.compute_cursor();
    observer_.acquires(cursor.stage);
    if constexpr (is_store) {
      ring_.template await_empty<Lanes::unknown>(cursor);
    } else {
      ring_.template await_full<Lanes::unknown>(cursor);
    }
    Observer::holds(ring_.tile(cursor.stage));
    return ring_.tile(cursor.stage);
  }
  [[nodiscard]] DMA_HOST_DEVICE int acquire(const Pattern& pattern) {
    const unsigned char* const slot = wait_for_slot();
    const int stage = ring_.compute_cursor().stage;
    Observer::uses(slot, pattern, ring_.slot_place(stage));
    ring_.compute_cursor().advance(Ring::stages);
    return stage;
  }
  DMA_HOST_DEVICE void release(int stage) {
    ring_.works_on(machine::Call::release, stage);
    observer_.releases(stage, ring_.tile(stage));
    if constexpr (is_store) {
      ring_.template signal_full<Completion::sync, Lanes::unknown>(stage);
    } else {
      ring_.template signal_empty<Lanes::unknown>(stage);
    }
  }
  DMA_HOST_DEVICE void release_next() {
    release(ring_.compute_cursor().stage);
    ring_.compute_cursor().advance(Ring::stages);
  }

  Observer observer_;
};

}  // namespace dma
