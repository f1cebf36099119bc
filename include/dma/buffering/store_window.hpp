#pragma once

#include <dma/config.hpp>
#include <dma/machine/access.hpp>
#include <dma/machine/machine.hpp>
#include <dma/sync/barrier.hpp>
#include <dma/unrolled.hpp>

namespace dma {

/// A DMA group's bulk stores whose slots are not yet released: up to `InFlight` of them read shared memory while the
/// next tile is stored.
///
/// Source  PTX ISA, cp.async.bulk.wait_group.read
template <class Ring, int InFlight>
class StoreWindow {
 public:
  /// Call after storing the tile at the ring's cursor. Releases the oldest slot when more than `InFlight` are pending.
  DMA_HOST_DEVICE void add(const Ring& ring) {
    if (++pending_ > InFlight) {
      machine::wait_for_bulk_reads<InFlight>();
      --pending_;
      release(ring, pending_ * Ring::groups);
    }
  }
  /// The same, for a caller that calls `finish` itself.
  DMA_HOST_DEVICE void add_unreleased() { ++pending_; }

  /// Waits until every pending store has read its slot, and releases these slots. Called between two tiles, in every
  /// warp.
  DMA_HOST_DEVICE void finish(const Ring& ring) {
    if (ring.moves()) {
      machine::wait_for_bulk_reads<0>();
      const int turns_since_mine = Ring::groups == 1 ? 1 : Ring::groups - ring.turns_until_mine();
      while (pending_ > 0) {
        --pending_;
        release(ring, turns_since_mine + pending_ * Ring::groups);
      }
    }
  }

  /// Called before the wait for the tile at the ring's cursor. While that tile is not full, the compute warps may need
  /// the slots of pending stores to fill it, so these are released, one at a time and the oldest first: the younger
  /// stores go on reading if the tile becomes full meanwhile.
  DMA_HOST_DEVICE void finish_unless_full(const Ring& ring) {
    bool is_full = false;
    unrolled<InFlight>([&](auto released) {
      constexpr int younger = InFlight - 1 - released.value;
      if (!is_full && pending_ > younger) {
        is_full = machine::shuffle(int{ring.is_full(ring.dma_cursor())}, 0) != 0;
        if (!is_full) {
          machine::wait_for_bulk_reads<younger>();
          pending_ = younger;
          release(ring, Ring::groups * (younger + 1));
        }
      }
    });
  }

 private:
  DMA_HOST_DEVICE static void release(const Ring& ring, int turns_ago) {
    ring.template signal_empty<Lanes::unknown>((ring.dma_cursor().stage + Ring::stages - turns_ago) % Ring::stages);
  }

  int pending_ = 0;
};

}  // namespace dma
