#pragma once

#include <dma/buffering/buffering.hpp>
#include <dma/buffering/cursor.hpp>
#include <dma/buffering/protocol_checks.hpp>
#include <dma/buffering/slot_ring.hpp>
#include <dma/config.hpp>
#include <dma/default_policies.hpp>
#include <dma/engines/copy_engine.hpp>
#include <dma/handles.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/pattern_contract.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/roles/take_roles.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/sync/barrier.hpp>
#include <dma/sync/completion.hpp>

namespace dma {

/// Whether each of a pipeline's policies keeps its contract. Where one does not, one sentence says which member of it
/// is missing or has another form; those after it are not looked at.
template <class Pattern, class Buffering, class Sync, class Engine>
[[nodiscard]] consteval bool policies_keep_contracts() {
  if constexpr (!keeps_pattern_contract<Pattern>()) {
    return false;
  } else if constexpr (!keeps_buffering_contract<Buffering>()) {
    return false;
  } else if constexpr (!keeps_barrier_contract<Sync>()) {
    return false;
  } else {
    return keeps_engine_contract<Engine, Pattern>();
  }
}

/// A pipeline of which a policy breaks its contract: the message says which. It has no members.
template <class Pattern_, class Buffering, class Sync = DefaultBarrier, class Engine_ = DefaultEngine<Pattern_, Sync>>
class DmaPipeline {};

/// Tiles streamed between global and shared memory: *what* by `Pattern_`, *when* by `Buffering` over `Sync`, *how* by
/// `Engine_`, and *who* by the buffering's warp layout.
///
/// One object a thread, of a few registers, over one `Storage` a CTA. DMA warps take `as_dma()` and call `load`;
/// compute warps take `as_compute()` and call `wait`; both do so for the same number of tiles, any number, in one loop
/// or in many. With `Store<Pattern>` tiles go the other way: compute warps fill what `wait` gives them, DMA warps call
/// `store`.
///
/// Construction and destruction are collective over the CTA. With named barriers the destructor makes the side that
/// fills wait until its last slots are empty, so that nothing stays armed and the next pipeline may take the numbers.
/// Phase barriers need no such wait, but their storage serves one pipeline until that is closed by `close()`.
///
/// Source  SC'11, section 3.1: the cudaDMA object
template <class Pattern_, class Buffering, class Sync, class Engine_>
  requires(policies_keep_contracts<Pattern_, Buffering, Sync, Engine_>())
class DmaPipeline<Pattern_, Buffering, Sync, Engine_>
    : public SlotRing<DmaPipeline<Pattern_, Buffering, Sync, Engine_>, Pattern_, Buffering, Sync> {
  using Ring = SlotRing<DmaPipeline, Pattern_, Buffering, Sync>;

 public:
  using Pattern = Pattern_;
  using Engine = Engine_;
  using Ring::group_threads, Ring::groups, Ring::stages, Ring::is_store;
  using typename Ring::Layout;
  using typename Ring::Storage;

  using Element = typename Pattern::Element;
  /// What `load` and `store` take for the global side: an address, or what the engine asks for in its place.
  using Source = stdlib::conditional_t<TakesArrays<Engine, Pattern>, ArrayOf<Engine, Pattern>, const Element*>;
  using Destination = stdlib::conditional_t<TakesArrays<Engine, Pattern>, ArrayOf<Engine, Pattern>, Element*>;

  /// How the copies of this pipeline's direction complete.
  static constexpr Completion completion = completion_of<Engine, Pattern>();
  /// Whether tiles are in flight while the DMA warps go on to the next.
  static constexpr bool copies_are_asynchronous = Sync::completes_asynchronously(completion);
  [[nodiscard]] static consteval bool completes_asynchronously(Completion other) {
    return Sync::completes_asynchronously(other);
  }

  /// Bulk copies that read their slots while later tiles are stored: half of a group's stages, so that the other half
  /// can be filled, as long as the next tile is full when its turn comes, which a barrier has to tell. Where warps have
  /// both roles, the one that fills is ahead by all stages already.
  static constexpr int stores_in_flight =
      completion == Completion::bulk_group && PollableBarrier<Sync> && Layout::is_specialized ? stages / groups / 2 : 0;
  /// Tiles whose copies the DMA warps have under way, at most, when nobody makes them wait.
  static constexpr int tiles_in_flight = completion == Completion::bulk_group ? groups * (stores_in_flight + 1)
                                         : copies_are_asynchronous            ? stages
                                                                              : groups;

  static_assert(
      keeps_alignment<Pattern>(),
      "dma::DmaPipeline: a run of this pattern is not a multiple of the run_alignment that it declares (a power "
      "of two); declare a smaller run_alignment, or align the run's two places and its length");
  static_assert(stays_inside_tile<Pattern>(),
                "dma::DmaPipeline: a run of this pattern leaves its tile or its bounds; "
                "make tile_bytes, max_run_count and max_run_bytes those of the full tile");
  static_assert(keeps_uniformity<Pattern>(),
                "dma::DmaPipeline: this pattern says runs_are_uniform, or gives pitches, and its runs are not so; "
                "leave those out, or make every run max_run_bytes long and one pitch from the one before");
  static_assert(keeps_runs_apart<Pattern>(),
                "dma::DmaPipeline: two runs of this pattern overlap in shared memory; give each bytes of its own");
  static_assert(stages <= Ring::most_stages,
                "dma::DmaPipeline: its stages need more named barriers than its DMA groups' share of the 15 that a CTA "
                "has, two a stage; use fewer stages, or dma::CudaBarrier");
  static_assert(sizeof(Storage) <= max_shared_bytes,
                "dma::DmaPipeline: its stages need more shared memory than the 227 KB that a CTA can have; "
                "use fewer stages or a smaller tile");
  static_assert(!adds<Pattern> || engine_traits<Engine>.can_add,
                "dma::DmaPipeline: this engine does not say that it adds (EngineTraits::can_add), so it would replace "
                "what a dma::StoreAdd has to add to; use dma::RegisterCopy<>, or dma::Store");
  static_assert(is_store || engine_traits<Engine>.can_fill || !has_padding<Pattern>(),
                "dma::DmaPipeline: this engine does not say that it fills (EngineTraits::can_fill), so what the tile "
                "has outside its array would keep old bytes; call dma::fill_outside in its load, or use "
                "dma::RegisterCopy<>");
  static_assert(Sync::supports(completion),
                "dma::DmaPipeline: this barrier cannot tell when this engine's copies are done (dma::NamedBarrier does "
                "not count the bytes of dma::BulkCopy and dma::TensorCopy); use dma::CudaBarrier, or "
                "dma::RegisterCopy<>");

  /// Collective over the CTA, before warps take their roles.
  template <class Kernel>
  DMA_HOST_DEVICE DmaPipeline(const KernelCta<Kernel>& cta, Storage& storage)
      : DmaPipeline(static_cast<const Cta&>(cta), storage) {
    static_assert(
        stdlib::is_same_v<Layout, typename Kernel::Layout>,
        "dma::DmaPipeline: the pipeline's WarpLayout is not the kernel body's Layout, so they would disagree on "
        "who is who; use one layout for all pipelines of a kernel");
  }
  DMA_HOST_DEVICE DmaPipeline(const Cta& cta, Storage& storage)
      : Ring(cta, storage, stdlib::integral_constant<Completion, completion>{}) {}
  /// On a host, waiting can end by a throw: a deadlock is reported, not suffered.
  DMA_HOST_DEVICE ~DmaPipeline() noexcept(false) {
    machine::called_from(machine::SourceLocation{});
    finish_stores();
    this->drain();
    this->give_up_storage();
  }

  /// Ends the pipeline before its scope does and frees its storage, for another pipeline say; what it stored is then in
  /// global memory. Collective over the CTA.
  ///
  /// @pre No slot is held.
  DMA_HOST_DEVICE void close(machine::SourceLocation caller = machine::SourceLocation::here()) {
    machine::called_from(caller);
    checks_.close();
    finish_stores();
    if constexpr (completion == Completion::bulk_group) {
      machine::wait_for_bulk_groups();
    }
    this->drain();
    this->close_points();
  }

  /// Whether this thread is in one of the pipeline's DMA groups, or computes.
  [[nodiscard]] DMA_HOST_DEVICE bool is_dma() const {
    static_assert(
        Layout::is_specialized,
        "dma::DmaPipeline: on a layout without DMA warps every warp has both roles, so there is none to ask for; "
        "take as_dma() and as_compute(), or use for_each_tile()");
    return this->moves();
  }
  [[nodiscard]] DMA_HOST_DEVICE bool is_compute() const {
    static_assert(
        Layout::is_specialized,
        "dma::DmaPipeline: on a layout without DMA warps every warp has both roles, so there is none to ask for; "
        "take as_dma() and as_compute(), or use for_each_tile()");
    return this->computes();
  }

  /// @pre is_dma(), or a layout without DMA warps
  [[nodiscard]] DMA_HOST_DEVICE DmaHandle<DmaPipeline> as_dma() {
    DMA_EXPECTS(this->moves(), "dma::DmaPipeline: as_dma() is for the pipeline's DMA warps; ask is_dma() first");
    expect_budget_taken<Layout>();
    return DmaHandle<DmaPipeline>(*this);
  }
  /// @pre is_compute(), or a layout without DMA warps
  [[nodiscard]] DMA_HOST_DEVICE ComputeHandle<DmaPipeline> as_compute() {
    DMA_EXPECTS(this->computes(), "dma::DmaPipeline: as_compute() is for compute warps; ask is_compute() first");
    expect_budget_taken<Layout>();
    return ComputeHandle<DmaPipeline>(*this);
  }

  /// Runs `move(dma, tile)` and `use(compute, tile)` for each tile `first`, `first + step`, ... below `last`, each in
  /// the warps whose job it is: the same body serves a layout with DMA warps and one without, where every warp does
  /// both, moving as far ahead of computing, or behind it, as the stages reach.
  template <class Move, class Use>
  DMA_HOST_DEVICE void for_each_tile(int first, int last, int step, const Move& move, const Use& use) {
    static_assert(!Layout::has_register_budgets,
                  "dma::DmaPipeline: for_each_tile() holds one tile's code, and what compute warps keep from tile to "
                  "tile would lie outside their register budget; use take_roles(), with the loops inside");
    const DmaHandle<DmaPipeline> dma(*this);
    const ComputeHandle<DmaPipeline> compute(*this);
    if constexpr (Layout::is_specialized) {
      if (this->moves()) {
        for (int tile : dma.my_tiles(first, last, step)) {
          move(dma, tile);
        }
      } else if (this->computes()) {
        for (int tile = first; tile < last; tile += step) {
          use(compute, tile);
        }
      }
    } else {
      // The side that fills is this many tiles ahead.
      constexpr int ahead = stages > 1 ? stages - 1 : 1;
      int filled = first;
      const auto fill = [&] {
        if constexpr (is_store) {
          use(compute, filled);
        } else {
          move(dma, filled);
        }
        filled += step;
      };
      for (int i = 0; i < ahead && filled < last; ++i) {
        fill();
      }
      for (int tile = first; tile < last; tile += step) {
        if (stages > 1 && filled < last) {
          fill();
        }
        if constexpr (is_store) {
          move(dma, tile);
        } else {
          use(compute, tile);
        }
        if (stages == 1 && filled < last) {
          fill();
        }
      }
    }
  }

 private:
  friend class DmaHandle<DmaPipeline>;
  friend class ComputeHandle<DmaPipeline>;
  friend class Slot<DmaPipeline>;

  // The DMA side.

  /// A slot in the hands of an engine, which waits for it when it is ready to.
  struct PendingSlot {
    DmaPipeline& pipeline;
    const Cursor& cursor;

    [[nodiscard]] DMA_HOST_DEVICE unsigned char* data() const { return pipeline.tile(cursor.stage); }
    [[nodiscard]] DMA_HOST_DEVICE unsigned char* data_per_lane() const {
      return pipeline.tile(machine::per_lane(cursor.stage));
    }
    [[nodiscard]] DMA_HOST_DEVICE void* full_barrier() const { return pipeline.full(cursor.stage).state; }
    DMA_HOST_DEVICE void wait_until_empty() const { pipeline.template await_empty<Lanes::converged>(cursor); }
    DMA_HOST_DEVICE void wait_until_full() const {
      // The compute warps may hold all the slots they can get before they fill one: none is kept from them.
      if constexpr (stores_in_flight > 0) {
        if (pipeline.pending_stores_ > 0 && !machine::shuffle(int{pipeline.is_full(cursor)}, 0)) {
          pipeline.finish_stores();
        }
      }
      pipeline.template await_full<Lanes::converged>(cursor);
    }
  };
  /// A slot that the caller has waited for.
  struct AcquiredSlot {
    const DmaPipeline& pipeline;
    int stage;

    [[nodiscard]] DMA_HOST_DEVICE unsigned char* data() const { return pipeline.tile(stage); }
    [[nodiscard]] DMA_HOST_DEVICE unsigned char* data_per_lane() const {
      return pipeline.tile(machine::per_lane(stage));
    }
    [[nodiscard]] DMA_HOST_DEVICE void* full_barrier() const { return pipeline.full(stage).state; }
    DMA_HOST_DEVICE void wait_until_empty() const {}
    DMA_HOST_DEVICE void wait_until_full() const {}
  };
  static_assert(CopyEngine<Engine, Pattern, PendingSlot>,
                "dma::CopyEngine: this engine does not take the pipeline's slots; let its load and store take any "
                "Slot (dma::MovableSlot)");

  /// Moves one tile between its slot and `global`, an address or a map.
  template <class Global>
  DMA_HOST_DEVICE void transfer(const Global& global, const Pattern& pattern) {
    expect_dma_warp();
    if (this->is_my_turn()) {
      checks_.load_or_store(this->dma_cursor().stage);
      const int bytes = move(global, pattern, PendingSlot{*this, this->dma_cursor()});
      if constexpr (!is_store) {
        this->template signal_full<completion, Lanes::converged>(this->dma_cursor().stage, bytes);
      } else if constexpr (completion == Completion::bulk_group) {
        if (++pending_stores_ > stores_in_flight) {
          machine::wait_for_bulk_reads<stores_in_flight>();
          release_oldest_store();
        }
      } else {
        this->template signal_empty<Lanes::converged>(this->dma_cursor().stage);
      }
    }
    this->dma_cursor().advance(stages);
  }
  DMA_HOST_DEVICE void wait_until_movable() {
    expect_dma_warp();
    if (this->is_my_turn()) {
      checks_.wait_to_move();
      if constexpr (is_store) {
        this->template await_full<Lanes::unknown>(this->dma_cursor());
      } else {
        this->template await_empty<Lanes::unknown>(this->dma_cursor());
      }
    }
  }
  template <class Global>
  DMA_HOST_DEVICE void copy(const Global& global, const Pattern& pattern) {
    if (this->is_my_turn()) {
      checks_.copy();
      machine::sync_warp();
      const int stage = this->dma_cursor().stage;
      const int bytes = move(global, pattern, AcquiredSlot{*this, stage});
      if constexpr (completion == Completion::mbarrier_complete_tx) {
        if (machine::elect()) {
          Sync::expect(this->full(stage), bytes, this->site(Ring::filling_side, machine::Point::full, stage));
        }
      } else if constexpr (completion == Completion::bulk_group) {
        ++pending_stores_;
      }
    }
  }
  DMA_HOST_DEVICE void signal_moved() {
    if (this->is_my_turn()) {
      checks_.signal();
      if constexpr (!is_store) {
        this->template signal_full<completion, Lanes::unknown>(this->dma_cursor().stage);
      } else if constexpr (completion == Completion::sync) {
        this->template signal_empty<Lanes::unknown>(this->dma_cursor().stage);
      }
    }
    this->dma_cursor().advance(stages);
    if constexpr (is_store) {
      finish_stores();
    }
  }

  DMA_HOST_DEVICE void expect_dma_warp() const {
    DMA_EXPECTS(this->moves(),
                "dma::DmaHandle: tiles are moved by the pipeline's DMA warps; take the handle from as_dma() in one of "
                "them");
  }

  /// Returns the bytes of this warp's bulk copies, 0 of any other engine's.
  template <class Global, class Slot>
  DMA_HOST_DEVICE int move(const Global& global, const Pattern& pattern, const Slot& slot) {
#if defined(__CUDA_ARCH__)
    expect_members_on_device(pattern);
#endif
    if constexpr (requires { pattern.is_valid(); }) {
      DMA_EXPECTS(pattern.is_valid(),
                  "dma::DmaHandle: this tile is larger than its pattern, or breaks the pattern's alignment");
    }
    machine::slot_moving(slot.data());
    int bytes = 0;
    decltype(auto) place = as_engine_takes_it(global, pattern);
    if constexpr (is_store) {
      Engine::template store<Pattern, group_threads>(pattern, place, this->rank(), slot);
      machine::slot_used(slot.data(), pattern.size());
    } else {
      if constexpr (completion == Completion::mbarrier_complete_tx) {
        bytes = Engine::template load<Pattern, group_threads>(pattern, place, this->rank(), slot);
      } else {
        Engine::template load<Pattern, group_threads>(pattern, place, this->rank(), slot);
      }
      machine::slot_filled(slot.data(), pattern.size());
    }
    return bytes;
  }

  /// An address as bytes, aligned as the pattern asks; a map as it is.
  template <class Global>
  [[nodiscard]] DMA_HOST_DEVICE static decltype(auto) as_engine_takes_it(const Global& global,
                                                                         [[maybe_unused]] const Pattern& pattern) {
    if constexpr (stdlib::is_pointer_v<Global>) {
      DMA_EXPECTS(reinterpret_cast<unsigned long long>(global) % source_alignment_of<Pattern>() == 0,
                  "dma::DmaHandle: the global address is not a multiple of the pattern's run_alignment; "
                  "align it, or give the pattern a smaller alignment");
      DMA_EXPECTS(pattern.run_count() == 0 || machine::is_global(global),
                  "dma::DmaHandle: the global address is not one of global memory; tiles move between shared memory "
                  "and what cudaMalloc and its like gave");
      using Byte = stdlib::conditional_t<is_store, unsigned char, const unsigned char>;
      return reinterpret_cast<Byte*>(global);
    } else {
      return (global);
    }
  }

  /// Gives back the slot of the oldest store whose end nobody has heard of. @pre It has been read.
  DMA_HOST_DEVICE void release_oldest_store() {
    --pending_stores_;
    const int turns_ago = pending_stores_ * groups;
    this->template signal_empty<Lanes::unknown>((this->dma_cursor().stage + stages - turns_ago) % stages);
  }
  /// Turns since this group's last tile, between two tiles.
  [[nodiscard]] DMA_HOST_DEVICE int turns_since_mine() { return groups == 1 ? 1 : groups - this->turns_until_mine(); }
  /// Gives back the slots of all stores that are under way.
  DMA_HOST_DEVICE void finish_stores() {
    if constexpr (completion == Completion::bulk_group) {
      if (this->moves()) {
        machine::wait_for_bulk_reads<0>();
        const int first_turns_ago = turns_since_mine();
        while (pending_stores_ > 0) {
          --pending_stores_;
          const int turns_ago = first_turns_ago + pending_stores_ * groups;
          this->template signal_empty<Lanes::unknown>((this->dma_cursor().stage + stages - turns_ago) % stages);
        }
      }
    }
  }

  // The compute side.

  /// Waits for the next slot, full or empty as the direction has it.
  [[nodiscard]] DMA_HOST_DEVICE unsigned char* wait_for_slot() {
    DMA_EXPECTS(this->computes(),
                "dma::ComputeHandle: wait() is for compute warps; take the handle from as_compute() in one of them");
    const Cursor& cursor = this->compute_cursor();
    checks_.take(cursor.stage);
    if constexpr (is_store) {
      this->template await_empty<Lanes::unknown>(cursor);
    } else {
      this->template await_full<Lanes::unknown>(cursor);
    }
    machine::slot_held(this->tile(cursor.stage), Pattern::tile_bytes, true);
    return this->tile(cursor.stage);
  }
  /// The stage that has been waited for; its slot is the caller's to give back.
  [[nodiscard]] DMA_HOST_DEVICE int acquire(const Pattern& pattern) {
    const unsigned char* const slot = wait_for_slot();
    if constexpr (is_store) {
      machine::slot_filled(slot, pattern.size());
    } else {
      machine::slot_used(slot, pattern.size());
    }
    const int stage = this->compute_cursor().stage;
    this->compute_cursor().advance(stages);
    return stage;
  }
  DMA_HOST_DEVICE void release(int stage) {
    checks_.release(stage);
    machine::slot_held(this->tile(stage), Pattern::tile_bytes, false);
    if constexpr (is_store) {
      // What this thread wrote has to be seen by the copy engine, not by threads only.
      if constexpr (completion == Completion::bulk_group) {
        machine::fence_async_proxy();
      }
      this->template signal_full<Completion::sync, Lanes::unknown>(stage);
    } else {
      // The copy engine is not ordered after ordinary accesses by barriers: while global loads hold up those of shared
      // memory, the next tile is there before they have read this one.
      if constexpr (completion == Completion::mbarrier_complete_tx) {
        machine::fence_async_proxy();
      }
      this->template signal_empty<Lanes::unknown>(stage);
    }
  }
  DMA_HOST_DEVICE void release_next() {
    release(this->compute_cursor().stage);
    this->compute_cursor().advance(stages);
  }

  int pending_stores_ = 0;  ///< stores whose slots have not been given back
  [[no_unique_address]] ProtocolChecks<stages> checks_;
};

}  // namespace dma
