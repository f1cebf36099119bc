#pragma once

#include <dma/config.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/kernel/tile_queue.hpp>
#include <dma/machine/access.hpp>
#include <dma/machine/index3.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/word.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/sync/barrier.hpp>
#include <dma/sync/cuda_barrier.hpp>

namespace dma::inline v0_1 {

/// The source of a `TileQueue` whose tiles are the CTAs of the grid, one each: a CTA that runs takes the places of CTAs
/// that have not begun, which then never begin. As with a counter, tiles of unequal cost keep all SMs busy, and what a
/// CTA does before its first tile it does once for several; no counter and no number of resident CTAs is needed.
///
///     #include <dma/kernel/pending_ctas.hpp>  // dma/dma.hpp has it not
///
///     dma::TileQueue<Layout, 8, 1, dma::PendingCtas<>> queue(cta, shared.queue);  // of a grid of one CTA a tile
///     for (int tile : queue) { ... }                                              // as with a counter
///
/// A tile's number is the index of its CTA in the grid, x fastest; a CTA's first one is its own. In a kernel with
/// clusters a whole cluster takes the place of another one, and each CTA that of its own rank.
///
/// Before sm_100, and with clusters on an sm_100 that is not sm_100a or of its family, each CTA has its own tile alone.
///
/// **No GPU has run it here**: its instructions are compiled and emulated on a host. There each request takes one of
/// the CTAs that have not begun, or none, by the seed of a launch or by its number of an order
/// (`LaunchOptions::cancellations`); what happens to a CTA with any number of tiles is proved by all orders of a grid.
/// In an exploration of executions all CTAs run together, and none is cancelled.
///
/// @tparam Ctas  of a cluster: that of the kernel body's traits
///
/// Cost    32 bytes of shared memory a slot; one request a tile, whose latency a tile in flight hides; a wait for an
///         mbarrier, a proxy fence and an arrival a warp and tile
/// Source  PTX ISA, clusterlaunchcontrol
///
/// @pre Nothing counts the CTAs that begin: no `is_last_cta`, `Pace` or barrier of the grid.
template <int Ctas = 1>
struct PendingCtas {
  static_assert(Ctas >= 1 && Ctas <= 16, "dma::PendingCtas: a cluster has 1 to 16 CTAs; give it that of the traits");
};

/// Each warp reads the responses by itself. One warp of a cluster asks, the first of DMA group 0 of its first CTA (warp
/// 0 where there are no DMA warps), and has `Ahead` requests on their way while a tile is moved.
template <class Layout, int Slots, int Ahead, int Ctas>
class TileQueue<Layout, Slots, Ahead, PendingCtas<Ctas>> {
  static_assert(Ahead > 0 && Slots >= Ahead,
                "dma::TileQueue: each request ahead has a slot for its response; give it as many slots or more");

  using State = CudaBarrier::State;
  using Point = BarrierPoint<State>;

  static constexpr int threads = (Layout::compute_warps + Layout::dma_warps) * warp_size;
  static constexpr int response_bytes = 16;
  static constexpr bool can_ask = machine::cancels_clusters<Ctas>;
  static constexpr Participants full_participants{warp_size, threads, false};
  static constexpr Participants empty_participants{Ctas * threads, warp_size, false};

 public:
  struct Storage {
    alignas(response_bytes) unsigned char responses[Slots][response_bytes];
    State full[Slots];
    State empty[Slots];  ///< of the cluster's first CTA
  };

  /// Collective over the CTA, or the cluster, which it synchronizes.
  DMA_HOST_DEVICE TileQueue(const Cta& cta, Storage& storage) : storage_(&storage), tile_(index_of(cta.block())) {
    if constexpr (can_ask) {
      DMA_EXPECTS(cta.cluster_size() == Ctas,
                  "dma::TileQueue: the cluster has another number of CTAs than PendingCtas; give it that of the kernel "
                  "body's traits",
                  "cluster", cta.cluster_size(), "PendingCtas", Ctas);
      takes_ = machine::uniform_warp_rank() == taking_warp;
      rank_ = Ctas == 1 ? 0 : cta.cluster_rank();
      if (cta.thread() == 0) {
        for (int slot = 0; slot < Slots; ++slot) {
          CudaBarrier::template open<full_participants, Completion::mbarrier_complete_tx>(full(slot));
          CudaBarrier::template open<empty_participants, Completion::sync>(empty(slot));
        }
        machine::fence_async_proxy();
      }
      if constexpr (Ctas == 1) {
        machine::sync_cta();
      } else {
        machine::sync_cluster();
      }
    }
  }
  TileQueue(const TileQueue&) = delete;
  TileQueue& operator=(const TileQueue&) = delete;

  struct End {};
  class Iterator {
   public:
    DMA_HOST_DEVICE Iterator(TileQueue& queue, int tile) : queue_(&queue), tile_(tile) {}
    [[nodiscard]] DMA_HOST_DEVICE int operator*() const { return tile_; }
    DMA_HOST_DEVICE Iterator& operator++() {
      tile_ = queue_->next();
      return *this;
    }
    [[nodiscard]] DMA_HOST_DEVICE bool operator!=(End) const { return tile_ != none; }

   private:
    TileQueue* queue_;
    int tile_;
  };

  [[nodiscard]] DMA_HOST_DEVICE Iterator begin() {
    if constexpr (can_ask) {
      machine::sync_warp();
      for (int request = 0; request < Ahead; ++request) {
        ask();
      }
    }
    return {*this, tile_};
  }
  [[nodiscard]] DMA_HOST_DEVICE End end() const { return {}; }

 private:
  static constexpr int taking_warp = Layout::is_specialized ? Layout::group_first_warp(0) : 0;
  static constexpr int none = -1;

  /// A place in the ring of slots.
  struct Cursor {
    int slot = 0;
    unsigned parity = 0;
    bool wrapped = false;

    DMA_HOST_DEVICE void step() {
      if (++slot == Slots) {
        slot = 0;
        parity ^= 1U;
        wrapped = true;
      }
    }
  };

  /// The next tile's number, `none` at the end. Collective over the warp.
  DMA_HOST_DEVICE int next() {
    if constexpr (can_ask) {
      machine::sync_warp();
      // Each warp counts the requests on their way: one follows each response until the first that has no cluster.
      while (on_their_way_ > 0) {
        const machine::Word<response_bytes> response = receive();
        --on_their_way_;
        if (machine::is_cancelled(response)) {
          if (!has_failed_) {
            ask();
          }
          Index3 first = machine::first_cancelled(response);
          first.x += rank_;
          return index_of(first);
        }
        has_failed_ = true;
      }
      if constexpr (Ctas > 1) {
        await_cluster();
      }
    }
    return none;
  }

  /// One warp of the cluster asks, and one of each CTA has its barrier expect the response.
  DMA_HOST_DEVICE void ask() {
    ++on_their_way_;
    if (takes_) {
      await_empty();
      if (machine::elect()) {
        machine::phase_expect(storage_->full + asked_.slot, response_bytes, site(machine::Point::full, asked_));
        if (rank_ == 0) {
          machine::cancel_cluster<Ctas>(storage_->responses[asked_.slot], storage_->full + asked_.slot);
        }
      }
      machine::sync_warp();
      asked_.step();
    }
  }
  /// Until all warps of the cluster have read what was in the slot that is asked for next.
  DMA_HOST_DEVICE void await_empty() {
    if (asked_.wrapped && rank_ == 0) {
      const machine::Site at = site(machine::Point::empty, asked_);
      if constexpr (Ctas == 1) {
        CudaBarrier::template wait<empty_participants, Lanes::converged>(empty(asked_.slot), asked_.parity ^ 1U, at);
      } else {
        machine::phase_wait_in_cluster(storage_->empty + asked_.slot, asked_.parity ^ 1U, at);
      }
    }
  }
  /// Of the first CTA: until all warps have arrived at its barriers, which are gone then.
  DMA_HOST_DEVICE void await_cluster() {
    for (int slot = 0; slot < Slots && takes_; ++slot) {
      await_empty();
      asked_.step();
    }
  }

  /// The response in the next slot. The taking warp lets the others go on behind what it has asked for before: none of
  /// them sees a failure before the last request.
  [[nodiscard]] DMA_HOST_DEVICE machine::Word<response_bytes> receive() {
    const machine::Site at = site(machine::Point::full, read_);
    if (takes_) {
      CudaBarrier::template arrive<full_participants, Lanes::converged>(full(read_.slot), at);
    }
    if constexpr (Ctas == 1) {
      CudaBarrier::template wait<full_participants, Lanes::converged>(full(read_.slot), read_.parity, at);
    } else {
      machine::phase_wait_in_cluster(storage_->full + read_.slot, read_.parity, at);
    }
    const machine::Word<response_bytes> response =
        machine::load_shared<response_bytes>(storage_->responses[read_.slot], 0);
    machine::sync_warp();
    if (machine::elect()) {
      machine::fence_async_proxy();  // The slot's next response comes behind what this warp has read.
      if constexpr (Ctas == 1) {
        machine::phase_arrive(storage_->empty + read_.slot, site(machine::Point::empty, read_));
      } else {
        machine::phase_arrive_for_shared_at(storage_->empty + read_.slot, 0, site(machine::Point::empty, read_));
      }
    }
    machine::sync_warp();
    read_.step();
    return response;
  }

  [[nodiscard]] DMA_HOST_DEVICE static int index_of(Index3 block) {
    const Index3 blocks = machine::blocks();
    return block.x + blocks.x * (block.y + blocks.y * block.z);
  }
  [[nodiscard]] DMA_HOST_DEVICE Point full(int slot) const { return {storage_->full + slot, 0}; }
  [[nodiscard]] DMA_HOST_DEVICE Point empty(int slot) const { return {storage_->empty + slot, 0}; }
  [[nodiscard]] DMA_HOST_DEVICE machine::Site site(machine::Point point, const Cursor& at) const {
    return {machine::Who::threads, point, at.slot, machine::type_name<TileQueue>(), storage_};
  }

  Storage* storage_;
  int tile_;  ///< of this CTA
  int rank_ = 0;
  bool takes_ = false;
  int on_their_way_ = 0;
  bool has_failed_ = false;  ///< one of the requests
  Cursor asked_;             ///< of the taking warp
  Cursor read_;
};

}  // namespace dma::inline v0_1
