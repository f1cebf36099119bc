#pragma once

#include <dma/config.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/site.hpp>
#include <dma/patterns/store.hpp>
#include <dma/pipeline/cursor.hpp>
#include <dma/pipeline/observer.hpp>
#include <dma/sync/barrier.hpp>

namespace dma::inline v0_1::detail {

/// The slots of a pipeline or of a hand-off, which all of its sides use.
template <class T>
class SharedRing {
 protected:
  using Ring = typename T::Ring;

  DMA_HOST_DEVICE SharedRing(const Cta& cta, typename Ring::Storage& storage, machine::SourceLocation caller)
      : ring_(cta, storage, caller) {}

  Ring ring_;
};

/// The side that waits for slots and releases them: the compute warps of a pipeline, full ones to use where it loads,
/// empty ones to fill where it stores; each of the two groups of a hand-off. Sides are bases of one object, one behind
/// the other: a thread's ring is in registers, which a pointer from one part of the object to another would prevent.
///
/// @param T     as `PipelineTypes`
/// @param Base  another side of the same slots, or the slots: it has `ring_`
template <class T, class Base = SharedRing<T>>
class ComputeSide : public Base {
 protected:
  using Base::Base;
  using Base::ring_;
  using Pattern = typename T::Pattern;
  using Ring = typename T::Ring;
  using Observer = detail::Observer<Pattern, Ring::stages>;

  /// Waits for the next slot: a full one where the pipeline loads, an empty one where it stores.
  [[nodiscard]] DMA_HOST_DEVICE unsigned char* wait_for_slot() {
    ring_.works_on(machine::Call::wait, ring_.compute_cursor().stage);
    T::expect_waits(ring_);
    const Cursor& cursor = ring_.compute_cursor();
    observer_.acquires(cursor.stage);
    if constexpr (is_store<Pattern>) {
      ring_.template await_empty<Lanes::unknown>(cursor);
    } else {
      ring_.template await_full<Lanes::unknown>(cursor);
    }
    Observer::holds(ring_.tile(cursor.stage));
    return ring_.tile(cursor.stage);
  }
  /// Waits for the next slot and returns its stage; the caller releases it.
  [[nodiscard]] DMA_HOST_DEVICE int acquire(const Pattern& pattern) {
    const unsigned char* const slot = wait_for_slot();
    const int stage = ring_.compute_cursor().stage;
    Observer::uses(slot, pattern, ring_.slot_place(stage));
    ring_.compute_cursor().advance(Ring::stages);
    return stage;
  }
  /// Where threads have not used the tile, but tensor cores, there is no proxy fence.
  template <bool IsUsedByThreads = true>
  DMA_HOST_DEVICE void release(int stage) {
    ring_.works_on(machine::Call::release, stage);
    observer_.releases(stage, ring_.tile(stage));
    if constexpr (is_store<Pattern>) {
      // The proxy fence makes what this thread wrote visible to the async proxy, through which the bulk store reads.
      if constexpr (T::completion == Completion::bulk_group) {
        machine::fence_async_proxy();
      }
      ring_.template signal_full<Completion::sync, Lanes::unknown>(stage);
    } else {
      // Barriers do not order the async proxy after ordinary reads. Without this proxy fence the next tile's bulk copy
      // may arrive while global loads still delay this tile's reads of shared memory. An update's bulk store reads what
      // this thread wrote.
      if constexpr (IsUsedByThreads && (T::completion == Completion::mbarrier_complete_tx ||
                                        T::store_completion == Completion::bulk_group)) {
        machine::fence_async_proxy();
      }
      ring_.template signal_empty<Lanes::unknown>(stage);
    }
  }
  /// By the arrival of products that read the tile, which is theirs alone.
  DMA_HOST_DEVICE void release_when_read(int stage) {
    ring_.works_on(machine::Call::release, stage);
    ring_.signal_empty_when_multiplied(stage);
    observer_.releases(stage, ring_.tile(stage));
  }
  DMA_HOST_DEVICE void release_next() {
    release(ring_.compute_cursor().stage);
    ring_.compute_cursor().advance(Ring::stages);
  }

  Observer observer_;
};

}  // namespace dma::inline v0_1::detail
