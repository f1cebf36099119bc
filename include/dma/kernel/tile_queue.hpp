#pragma once

#include <dma/config.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/machine.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/standard.hpp>
#include <dma/sync/barrier.hpp>
#include <dma/sync/cuda_barrier.hpp>

namespace dma::inline v0_1 {

/// The counter from which the CTAs of a grid take tiles, in global memory: zero before a launch, and again after it.
///
/// Two counts in one word: the tiles that were taken, and above them the CTAs that have left.
struct TileCounter {
  unsigned long long word;

  static constexpr unsigned long long tile = 1;
  static constexpr unsigned long long departure = 1ULL << 32;

  [[nodiscard]] DMA_HOST_DEVICE static constexpr int taken(unsigned long long word) noexcept {
    return static_cast<int>(word & 0x7fffffffULL);
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int departed(unsigned long long word) noexcept {
    return static_cast<int>(word >> 32);
  }
};

/// Dynamic tile scheduling: a CTA that is done with its tiles takes another one from a counter, so that tiles of
/// unequal cost keep all SMs busy to the end. Each warp of the CTA loops over the same tiles.
///
///     dma::TileQueue<Layout> queue(cta, shared.queue, counter, tiles);   // before the roles part
///     if (pipe.is_dma()) {
///       for (int tile : queue) { pipe.as_dma().load(x + tile * count); }
///     } else {
///       for (int tile : queue) { ... pipe.as_compute().wait() ... }
///     }
///
/// One warp takes the numbers, the first of DMA group 0 (warp 0 where there are no DMA warps), and hands them to the
/// others through a ring in shared memory. The next `Ahead` numbers are taken while a tile is moved, each by a lane of
/// its own. The first tile of a CTA is its own index in the grid. The last CTA clears the counter.
///
/// On a host, where CTAs run one after the other, each takes an equal share. A proof for all numbers of tiles of one
/// CTA (`for_all_trips`) beside one of a grid then covers what another division would change.
///
/// Trials on an H200 with one number ahead, beside a loop with a fixed stride: tiles of random cost in 0.69 to 0.82 of
/// the time; tiles of equal cost at 1.04 to 1.08 of the rate with 16 KB each, 0.74 to 0.91 with 4 KB, where an atomic
/// takes longer than a tile. More numbers ahead were not measured.
///
/// Cost    20 bytes of shared memory a slot; one atomic a tile, whose latency a tile in flight hides; a wait for an
///         mbarrier and an arrival a warp and tile
/// Source  the persistent tile schedulers of CUTLASS and of stream-K
///
/// @tparam Slots  how many numbers the taking warp is ahead of the slowest one: at least the stages of the pipelines
/// @tparam Ahead  how many numbers are taken in advance. More hide an atomic's latency behind small tiles; a CTA ends
///                with so many tiles of its own
/// @tparam Source  `TileCounter`, or `PendingCtas`: tiles of CTAs that have not begun (dma/kernel/pending_ctas.hpp)
///
/// @pre Every warp of a role loops to the end, once: no `break`.
/// @pre Tiles are independent of one another: which CTA moves one, and when, is open.
template <class Layout, int Slots = 8, int Ahead = 1, class Source = TileCounter>
class TileQueue {
  static_assert(stdlib::is_same_v<Source, TileCounter>,
                "dma::TileQueue: tiles come from a TileCounter or from PendingCtas; name one of these, or neither");
  static_assert(Slots > 0, "dma::TileQueue: it hands numbers on through its slots; give it one or more");
  static_assert(Ahead > 0 && Ahead <= warp_size,
                "dma::TileQueue: each number ahead is taken by a lane of one warp; take 1 to 32");

  using State = CudaBarrier::State;
  using Point = BarrierPoint<State>;

  /// Threads that are handed the numbers: those of all roles but the taking warp's.
  static constexpr int others = (Layout::compute_warps + Layout::dma_warps - 1) * warp_size;
  static constexpr Participants full_participants{warp_size, others, false};
  static constexpr Participants empty_participants{others, warp_size, false};

 public:
  struct Storage {
    State full[Slots];
    State empty[Slots];
    int tiles[Slots];
  };

  /// Collective over the CTA.
  ///
  /// @param counter  zero, in global memory
  /// @param tiles    of the whole grid
  DMA_HOST_DEVICE TileQueue(const Cta& cta, Storage& storage, TileCounter& counter, int tiles)
      : storage_(&storage), counter_(&counter), tiles_(tiles) {
    const Index3 block = cta.block();
    const Index3 blocks = cta.blocks();
    // Each CTA takes up to `Ahead` numbers past the last tile's.
    DMA_EXPECTS(static_cast<long long>(blocks.x) * blocks.y * blocks.z * (Ahead + 1) + tiles <= 0x7fffffffLL,
                "dma::TileQueue: it counts tiles, and past them one number or more for each CTA, in an int; give it "
                "fewer or larger tiles, or a smaller grid",
                "tiles", tiles, "CTAs", static_cast<long long>(blocks.x) * blocks.y * blocks.z);
    ctas_ = blocks.x * blocks.y * blocks.z;
    first_ = block.x + blocks.x * (block.y + blocks.y * block.z);
    takes_ = machine::uniform_warp_rank() == taking_warp;
    machine::use_counter(&counter.word, "TileQueue");
    if constexpr (others > 0) {
      if (cta.thread() == 0) {
        for (int slot = 0; slot < Slots; ++slot) {
          CudaBarrier::template open<full_participants, Completion::sync>(full(slot));
          CudaBarrier::template open<empty_participants, Completion::sync>(empty(slot));
        }
      }
      cta.sync();
    }
  }
  TileQueue(const TileQueue&) = delete;
  TileQueue& operator=(const TileQueue&) = delete;

  struct End {};
  class Iterator {
   public:
    DMA_HOST_DEVICE explicit Iterator(TileQueue& queue) : queue_(&queue), tile_(queue.next()) {}
    [[nodiscard]] DMA_HOST_DEVICE int operator*() const { return tile_; }
    DMA_HOST_DEVICE Iterator& operator++() {
      tile_ = queue_->next();
      return *this;
    }
    [[nodiscard]] DMA_HOST_DEVICE bool operator!=(End) const { return tile_ < queue_->tiles_; }

   private:
    TileQueue* queue_;
    int tile_;
  };

  [[nodiscard]] DMA_HOST_DEVICE Iterator begin() {
    machine::sync_warp();
    if (takes_) {
      ahead_ = first_;
      for (int lane = 1; lane < Ahead; ++lane) {
        take_by(lane);
      }
    }
    return Iterator(*this);
  }
  [[nodiscard]] DMA_HOST_DEVICE End end() const { return {}; }

 private:
  static constexpr int taking_warp = Layout::is_specialized ? Layout::group_first_warp(0) : 0;

  /// The next tile's number, `tiles_` or more at the end. Collective over the warp.
  DMA_HOST_DEVICE int next() {
    machine::sync_warp();
    const int tile = takes_ ? take() : receive();
    if (++slot_ == Slots) {
      slot_ = 0;
      parity_ ^= 1U;
      wrapped_ = true;
    }
    return tile;
  }

  /// Hands a number on, and takes the next one.
  DMA_HOST_DEVICE int take() {
    // Numbers may arrive in another order than they were taken in: the end is when no lane has one.
    int tile = machine::shuffle(ahead_, lane_);
    for (int lanes = 1; lanes < Ahead && tile >= tiles_; ++lanes) {
      lane_ = (lane_ + 1) % Ahead;
      tile = machine::shuffle(ahead_, lane_);
    }
    if constexpr (others > 0) {
      if (wrapped_) {
        CudaBarrier::template wait<empty_participants, Lanes::converged>(empty(slot_), parity_ ^ 1U,
                                                                         site(machine::Point::empty));
      }
      if (machine::elect()) {
        machine::touched(storage_->tiles + slot_, int{sizeof(int)}, machine::Access::write);
        storage_->tiles[slot_] = tile;
      }
      CudaBarrier::template arrive<full_participants, Lanes::unknown>(full(slot_), site(machine::Point::full));
    }
    if (tile < tiles_) {
      take_by(lane_);
      lane_ = (lane_ + 1) % Ahead;
    } else if (machine::elect()) {
      leave();
    }
    machine::sync_warp();
    return tile;
  }
  /// One lane takes a number, which it need not have before that is used.
  DMA_HOST_DEVICE void take_by(int lane) {
    if (machine::thread_rank() % warp_size == lane) {
      ahead_ = ctas_ + TileCounter::taken(machine::take_number(&counter_->word, TileCounter::tile, tiles_ - ctas_));
    }
  }
  DMA_HOST_DEVICE int receive() {
    CudaBarrier::template wait<full_participants, Lanes::converged>(full(slot_), parity_, site(machine::Point::full));
    machine::touched(storage_->tiles + slot_, int{sizeof(int)}, machine::Access::read);
    const int tile = storage_->tiles[slot_];
    CudaBarrier::template arrive<empty_participants, Lanes::unknown>(empty(slot_), site(machine::Point::empty));
    return tile;
  }
  /// The last CTA to leave clears the counter: no other takes tiles any more.
  DMA_HOST_DEVICE void leave() {
    const unsigned long long before = machine::count(&counter_->word, TileCounter::departure);
    if (TileCounter::departed(before) == ctas_ - 1) {
      machine::clear_count(&counter_->word);
    }
  }

  [[nodiscard]] DMA_HOST_DEVICE Point full(int slot) const { return {storage_->full + slot, 0}; }
  [[nodiscard]] DMA_HOST_DEVICE Point empty(int slot) const { return {storage_->empty + slot, 0}; }
  [[nodiscard]] DMA_HOST_DEVICE machine::Site site(machine::Point point) const {
    return {machine::Who::threads, point, slot_, machine::type_name<TileQueue>(), storage_};
  }

  Storage* storage_;
  TileCounter* counter_;
  int tiles_;
  int ctas_;
  int first_;      ///< tile of this CTA
  int ahead_ = 0;  ///< a tile to come, in each of the first `Ahead` lanes of the taking warp
  int lane_ = 0;   ///< that has the next one
  bool takes_;
  int slot_ = 0;
  unsigned parity_ = 0;
  bool wrapped_ = false;
};

}  // namespace dma::inline v0_1
