#pragma once

#include <dma/config.hpp>
#include <dma/engines/copy_engine.hpp>
#include <dma/machine/machine.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/pattern_contract.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/pipeline/compute_side.hpp>
#include <dma/pipeline/copy_limit.hpp>
#include <dma/pipeline/engine_slot.hpp>
#include <dma/pipeline/read_ahead.hpp>
#include <dma/pipeline/store_window.hpp>
#include <dma/standard.hpp>
#include <dma/sync/barrier.hpp>

namespace dma::inline v0_1::detail {

/// The side of a pipeline that moves tiles: its DMA warps, which wait for a slot, have the engine move a tile between
/// it and global memory, and signal.
///
/// @param T  as `PipelineTypes`
template <class T>
class DmaSide : public ComputeSide<T> {
  using Base = ComputeSide<T>;
  using Layout = typename T::Ring::Layout;

 protected:
  using Base::Base;
  using Base::observer_;
  using Base::ring_;
  using typename Base::Observer;
  using Pattern = typename T::Pattern;
  using Engine = typename T::Engine;
  using Ring = typename T::Ring;
  using Sync = typename T::Sync;

  static constexpr bool is_store = detail::is_store<Pattern>;
  static constexpr bool is_update = detail::is_update<Pattern>;
  static constexpr int moving_threads = Ring::moving_threads;
  static constexpr Completion completion = T::completion;
  static constexpr Completion store_completion = T::store_completion;
  static constexpr bool copies_are_asynchronous = Sync::completes_asynchronously(completion);
  static constexpr int stages_of_a_group = Ring::stages / Ring::groups;
  /// The most bulk stores that may still read their slots while later tiles are stored: half of a group's stages, so
  /// that the other half can be filled. It needs a barrier that can be polled: a store whose tile is not yet full first
  /// releases the slots of pending stores. Where warps have both roles, filling is already ahead by all stages.
  ///
  /// Of an update: the most that may still read their slots when the next tile is loaded.
  static constexpr int stores_in_flight =
      is_update ? (store_completion == Completion::bulk_group && stages_of_a_group > 2 ? 1 : 0)
      : completion == Completion::bulk_group && PollableBarrier<Sync> && Layout::is_specialized ? stages_of_a_group / 2
                                                                                                : 0;
  static constexpr bool reads_tiles_in_order =
      !is_store && !is_update && Layout::is_specialized && Ring::warp_sets == Ring::groups;
  /// Tiles whose reads a DMA warp has in flight in `for_each_tile`, in registers.
  static constexpr int tiles_read_ahead = reads_tiles_in_order ? tiles_ahead<Engine, Pattern, moving_threads> : 1;
  /// The most tiles whose copies are in flight at a time.
  static constexpr int tiles_in_flight = completion == Completion::bulk_group ? Ring::groups * (stores_in_flight + 1)
                                         : copies_are_asynchronous            ? Ring::stages
                                                                              : Ring::warp_sets;
  /// The slots among which the loads of an update run ahead of its stores.
  static constexpr int loaded_ahead = Ring::stages - stores_in_flight * Ring::groups;

  using Window = stdlib::conditional_t<is_update, UpdateWindow<Ring, completion, store_completion, stores_in_flight>,
                                       StoreWindow<Ring, stores_in_flight>>;
  using Pending = PendingSlot<Ring, Window>;
  using Ahead = TileAhead<typename T::Owner>;

  /// Moves one tile between its slot and `global`, an address or a map. A full tile `ahead` has been read.
  template <class Global, class Held = void>
  DMA_HOST_DEVICE void transfer(const Global& global, const Pattern& pattern, const Held* ahead = nullptr) {
    constexpr machine::Call call = is_store ? machine::Call::store : machine::Call::load;
    const bool is_my_turn = ring_.is_my_turn();
    // Before the branch on the lanes: the address is computed meanwhile.
    const bool has_address = !is_my_turn || is_movable(global, pattern);
    ring_.works_on(call, ring_.dma_cursor().stage);
    expect_dma_warp();
    if (!has_address) {
      expect_movable(global, pattern);
    }
    if (is_my_turn) {
      const int stage = ring_.dma_cursor().stage;
      observer_.transfers(stage);
      limit_.await_earlier_tile(ring_);
      if constexpr (is_update) {
        window_.expect_stored();
      }
      const int bytes = move<is_store>(global, pattern, Pending{ring_, window_}, stage, ahead);
      if constexpr (!is_store) {
        ring_.template signal_full<completion, Lanes::converged>(stage, bytes);
      } else if constexpr (completion == Completion::bulk_group) {
        window_.add(ring_);
      } else {
        ring_.template signal_empty<Lanes::converged>(stage);
      }
    }
    ring_.skip(1);
    if constexpr (is_update) {
      window_.loads();
    }
  }
  /// Stores the oldest tile of an update that is not yet stored.
  template <class Global>
  DMA_HOST_DEVICE void store_back(const Global& global, const Pattern& pattern) {
    const int stage = ring_.store_cursor().stage;
    ring_.works_on(machine::Call::store, stage);
    expect_dma_warp();
    expect_movable(global, pattern);
    window_.expect_loaded();
    if (ring_.is_my_turn(ring_.store_cursor())) {
      observer_.transfers(stage);
      move<true>(global, pattern, UpdatedSlot<Ring>{ring_}, stage);
      window_.add(ring_, stage);
    }
    ring_.store_cursor().advance(Ring::stages);
    window_.stores();
  }
  /// Reads a full tile of this group before its turn.
  DMA_HOST_DEVICE void read_ahead(Ahead& tile) {
    ring_.works_on(machine::Call::load, ring_.dma_cursor().stage);
    expect_dma_warp();
    expect_movable(tile.source, tile.pattern);
    Engine::template read_ahead<Pattern, moving_threads>(tile.pattern, as_engine_takes_it<false>(tile.source),
                                                         ring_.moving_rank(), ring_.tile(0), tile.held);
  }
  DMA_HOST_DEVICE void finish(const Ahead& tile) { transfer(tile.source, tile.pattern, &tile); }

  /// The two halves of a load: see `cudadma::StartedLoad`.
  template <class Tile, class Source>
  DMA_HOST_DEVICE void start([[maybe_unused]] Tile& tile, const Source& source, const Pattern& pattern) {
    if constexpr (Tile::reads_ahead) {
      tile.source = source;
      tile.pattern = pattern;
      if (pattern.is_full() && ring_.is_my_turn()) {
        read_ahead(tile);
      }
    } else if constexpr (completion == Completion::sync || copies_are_asynchronous) {
      transfer(source, pattern);
    } else {
      wait_until_movable();
      copy(source, pattern);
    }
    observer_.starts();
  }
  template <class Tile>
  DMA_HOST_DEVICE void finish_started([[maybe_unused]] const Tile& tile) {
    observer_.finishes();
    if constexpr (Tile::reads_ahead) {
      finish(tile);
    } else if constexpr (completion != Completion::sync && !copies_are_asynchronous) {
      signal_moved();
    }
  }

  DMA_HOST_DEVICE void wait_until_movable() {
    ring_.works_on(machine::Call::wait_to_move, ring_.dma_cursor().stage);
    expect_dma_warp();
    if (ring_.is_my_turn()) {
      observer_.waits_to_move();
      if constexpr (is_store) {
        ring_.template await_full<Lanes::unknown>(ring_.dma_cursor());
      } else {
        ring_.template await_empty<Lanes::unknown>(ring_.dma_cursor());
      }
    }
  }
  template <class Global>
  DMA_HOST_DEVICE void copy(const Global& global, const Pattern& pattern) {
    ring_.works_on(machine::Call::copy, ring_.dma_cursor().stage);
    if (ring_.is_my_turn()) {
      observer_.copies();
      machine::sync_warp();
      const int stage = ring_.dma_cursor().stage;
      expect_movable(global, pattern);
      limit_.await_earlier_tile(ring_);
      const int bytes = move<is_store>(global, pattern, AcquiredSlot<Ring>{ring_, stage}, stage);
      if constexpr (completion == Completion::mbarrier_complete_tx) {
        if (machine::elect()) {
          ring_.expect_bytes(stage, bytes);
        }
      } else if constexpr (completion == Completion::bulk_group) {
        window_.add_unreleased();
      }
    }
  }
  DMA_HOST_DEVICE void signal_moved() {
    ring_.works_on(machine::Call::signal_moved, ring_.dma_cursor().stage);
    if (ring_.is_my_turn()) {
      observer_.signals();
      if constexpr (!is_store) {
        ring_.template signal_full<completion, Lanes::unknown>(ring_.dma_cursor().stage);
      } else if constexpr (completion == Completion::sync) {
        ring_.template signal_empty<Lanes::unknown>(ring_.dma_cursor().stage);
      }
    }
    ring_.skip(1);
    if constexpr (is_store) {
      finish_stores();
    }
  }
  /// Waits until all bulk stores have read their slots, and releases them.
  DMA_HOST_DEVICE void finish_stores() {
    if constexpr (is_update || completion == Completion::bulk_group) {
      window_.finish(ring_);
    }
  }

  DMA_HOST_DEVICE void expect_dma_warp() const {
    DMA_EXPECTS(ring_.moves(),
                "dma::DmaHandle: tiles are moved by the pipeline's DMA warps; take the handle from as_dma() in one of "
                "them");
  }

  /// States the precondition that a tile keeps its pattern's limits.
  static DMA_HOST_DEVICE void expect_valid([[maybe_unused]] const Pattern& pattern) {
    if constexpr (requires { pattern.is_valid() && pattern.elements; }) {
      DMA_EXPECTS(pattern.is_valid(),
                  "dma::DmaHandle: this tile is larger than its pattern, or has fewer than 0 elements; give it at most "
                  "the pattern's count, as Sequential::up_to(left) does",
                  "elements", pattern.size(), "elements of a full tile", Pattern{}.size());
    } else if constexpr (requires { pattern.is_valid(); }) {
      DMA_EXPECTS(
          pattern.is_valid(),
          "dma::DmaHandle: this tile is larger than its pattern, or breaks the pattern's alignment; give it fewer rows "
          "and columns, or the pattern a smaller alignment, a Paged smaller box_rows",
          "elements", pattern.size(), "elements of a full tile", Pattern{}.size(), "run_alignment",
          Pattern::run_alignment);
    } else {
      DMA_EXPECTS(pattern.size() >= 0,
                  "dma::DmaHandle: size() of this tile's pattern is negative; return one more than the last index of "
                  "this tile, 0 of an empty one",
                  "size()", pattern.size());
    }
  }

  /// Returns the bytes of this warp's bulk loads, 0 of any other copies.
  template <bool stores, class Global, class Slot, class Held = void>
  DMA_HOST_DEVICE int move(const Global& global, const Pattern& pattern, const Slot& slot, int stage,
                           [[maybe_unused]] const Held* ahead = nullptr) {
    using Moved =
        stdlib::conditional_t<stores, typename DirectionsOf<Pattern>::Store, typename DirectionsOf<Pattern>::Load>;
    machine::call_on_device<PatternMembers>(pattern);
    expect_valid(pattern);
    if constexpr (stdlib::is_pointer_v<Global>) {
      Observer::moves(slot.data(), global);
    } else {
      Observer::moves(slot.data(), nullptr);
    }
    int bytes = 0;
    decltype(auto) place = as_engine_takes_it<stores>(global);
    machine::call_on_device<EngineMembers<Engine, moving_threads>>(static_cast<const Moved&>(pattern), place, slot);
    if constexpr (stores) {
      Engine::template store<Moved, moving_threads>(pattern, place, ring_.moving_rank(), slot);
    } else if constexpr (completion == Completion::mbarrier_complete_tx) {
      bytes = Engine::template load<Moved, moving_threads>(pattern, place, ring_.moving_rank(), slot);
    } else if constexpr (!stdlib::is_same_v<Held, void>) {
      if (pattern.is_full()) {
        Engine::template write_held<Pattern, moving_threads>(pattern, place, ring_.moving_rank(), slot, ahead->held);
      } else {
        Engine::template load<Pattern, moving_threads>(pattern, place, ring_.moving_rank(), slot);
      }
    } else {
      Engine::template load<Moved, moving_threads>(pattern, place, ring_.moving_rank(), slot);
    }
    if constexpr (stores) {
      Observer::stored(slot.data(), pattern, ring_.slot_place(stage));
    } else {
      Observer::loaded(slot.data(), pattern, ring_.slot_place(stage));
    }
    return bytes;
  }

 private:
  Window window_;
  CopyLimit<Ring, Sync, completion> limit_;
};

}  // namespace dma::inline v0_1::detail
