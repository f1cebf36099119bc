#pragma once

#include <dma/config.hpp>
#include <dma/machine/access.hpp>
#include <dma/machine/machine.hpp>
#include <dma/pipeline/cursor.hpp>
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
  /// each was read. Trials are in docs/guide/reference/trials.md.
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

/// What a DMA warp of an `Update` knows of its slots: how many tiles are loaded and not yet stored, and how many of its
/// own stores may still read their slots.
///
/// The warps that load into a slot are those that store from it, so that no barrier says when it is empty again: one
/// warp waits for its own reads, several tell one another (`SlotRing::signal_stored`).
///
/// Source  PTX ISA, cp.async.bulk.wait_group.read
template <class Ring, Completion loads_complete, Completion stores_complete, int InFlight>
class UpdateWindow {
  static constexpr bool stores_in_bulk = stores_complete == Completion::bulk_group;

 public:
  /// Before a load into the slot at the ring's cursor.
  DMA_HOST_DEVICE void expect_stored() const {
    DMA_EXPECTS(unstored_ < Ring::stages,
                "dma::DmaHandle: load() of a dma::Update whose slots all hold tiles that are not stored; call store() "
                "for the oldest first, or use for_each_tile()",
                "stages", Ring::stages);
  }
  DMA_HOST_DEVICE void expect_loaded() const {
    DMA_EXPECTS(unstored_ > 0,
                "dma::DmaHandle: store() of a dma::Update before the load() of its tile; call load() first, or use "
                "for_each_tile()");
  }
  DMA_HOST_DEVICE void loads() { ++unstored_; }
  DMA_HOST_DEVICE void stores() { --unstored_; }

  /// After this warp's part of the store from slot `stage`.
  DMA_HOST_DEVICE void add(const Ring& ring, int stage) {
    if constexpr (stores_in_bulk) {
      ++pending_;
    } else {
      signal(ring, stage);
    }
  }

  /// Waits until the slot of the next load has been read by its store, in all warps that load into it.
  DMA_HOST_DEVICE void await_stored(Ring& ring) {
    if constexpr (stores_in_bulk) {
      // Where stores are as far behind loads as they may be, the newest ones are of other slots.
      if (Ring::stages - 1 - unstored_ >= InFlight * Ring::groups) {
        release<InFlight>(ring);
      } else {
        release<0>(ring);
      }
    }
    ring.await_stored(ring.dma_cursor());
  }

  /// Waits until every store has read its slot.
  DMA_HOST_DEVICE void finish(const Ring& ring) {
    DMA_EXPECTS(unstored_ == 0 || machine::is_unwinding(),
                "dma::DmaPipeline: a dma::Update ends with tiles that are loaded and not stored; call store() once for "
                "each load(), or use for_each_tile()",
                "tiles", unstored_);
    if constexpr (stores_in_bulk) {
      if (ring.moves()) {
        release<0>(ring);
      }
    }
  }

 private:
  /// Waits until at most `Left` of the warp's stores still read their slots.
  template <int Left>
  DMA_HOST_DEVICE void release(const Ring& ring) {
    if (pending_ > Left) {
      machine::wait_for_bulk_reads<Left>();
      const Cursor& cursor = ring.store_cursor();
      const int tiles_since_mine = Ring::groups == 1 ? 1 : Ring::groups - ring.tiles_until_mine(cursor);
      while (pending_ > Left) {
        --pending_;
        const int tiles_ago = tiles_since_mine + pending_ * Ring::groups;
        signal(ring, (cursor.stage + Ring::stages - tiles_ago) % Ring::stages);
      }
    }
  }
  DMA_HOST_DEVICE static void signal(const Ring& ring, int stage) {
    // An engine may have read some of the tile by ordinary loads, and the slot's next bulk copy follows these.
    if constexpr (loads_complete == Completion::mbarrier_complete_tx) {
      machine::fence_async_proxy();
    }
    ring.signal_stored(stage);
  }

  int unstored_ = 0;  ///< tiles of all groups
  int pending_ = 0;   ///< this warp's stores
};

}  // namespace dma::inline v0_1::detail
