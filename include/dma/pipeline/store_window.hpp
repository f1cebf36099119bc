#pragma once

#include <dma/config.hpp>
#include <dma/machine/access.hpp>
#include <dma/machine/machine.hpp>
#include <dma/sync/barrier.hpp>

namespace dma::inline v0_1::detail {

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
      const int tiles_since_mine = Ring::groups == 1 ? 1 : Ring::groups - ring.tiles_until_mine();
      while (pending_ > 0) {
        --pending_;
        release(ring, tiles_since_mine + pending_ * Ring::groups);
      }
    }
  }

  /// Called before the wait for the tile at the ring's cursor. If that tile is not yet full, the compute warps may need
  /// the slots of pending stores to fill it, so these slots are released first.
  ///
  /// Cost    a DMA warp's instructions for a tile
  ///
  /// With one pending store that is faster than `finish`; with more `finish` is faster than to release one at a time as
  /// each was read. Trials are in docs/guide/engines.md.
  DMA_HOST_DEVICE void finish_unless_full(const Ring& ring) {
    if constexpr (InFlight > 0) {
      if (pending_ > 0 && !machine::shuffle(int{ring.is_full(ring.dma_cursor())}, 0)) {
        if constexpr (InFlight == 1) {
          machine::wait_for_bulk_reads<InFlight - 1>();
          pending_ = 0;
          release(ring, Ring::groups);
        } else {
          finish(ring);
        }
      }
    }
  }

 private:
  DMA_HOST_DEVICE static void release(const Ring& ring, int tiles_ago) {
    ring.template signal_empty<Lanes::unknown>((ring.dma_cursor().stage + Ring::stages - tiles_ago) % Ring::stages);
  }

  int pending_ = 0;
};

}  // namespace dma::v0_1::detail
