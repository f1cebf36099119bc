#pragma once

#include <dma/buffering/buffering.hpp>
#include <dma/buffering/multi_buffer.hpp>
#include <dma/config.hpp>
#include <dma/default_policies.hpp>
#include <dma/engines/copy_engine.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/kernel/tile_range.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/pattern_contract.hpp>
#include <dma/patterns/tile_laws.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/pipeline/compute_handle.hpp>
#include <dma/pipeline/dma_handle.hpp>
#include <dma/pipeline/dma_side.hpp>
#include <dma/pipeline/pipeline_types.hpp>
#include <dma/pipeline/read_ahead.hpp>
#include <dma/pipeline/slot.hpp>
#include <dma/pipeline/slot_ring.hpp>
#include <dma/roles/take_roles.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/sync/barrier.hpp>

namespace dma::inline v0_1 {

template <class Pattern_, class Buffering, class Sync = DefaultBarrier,
          class Engine_ = DefaultEngine<Pattern_, Sync, Buffering>>
class DmaPipeline;

namespace detail {

/// Whether each of a pipeline's policies satisfies its contract. If one does not, one error names the member of it that
/// is missing or malformed; the policies after it are not checked.
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

/// Lets a kernel's uses of a pipeline compile whose policy breaks its contract, so that no further error follows. It
/// does not depend on the pattern itself: nvcc finds everything broken that is made of a type that is not declared.
template <class Pattern>
using StandInPipeline =
    DmaPipeline<StandInPattern<typename ElementOf<Pattern>::Type>, SingleBuffer<WarpLayout<Compute<1>, Dma<1>>>>;

}  // namespace detail

/// Replaces a pipeline whose policy breaks its contract; the error names the policy, and is the only one.
template <class Pattern_, class Buffering, class Sync, class Engine_>
class DmaPipeline : public detail::StandInPipeline<Pattern_> {
  using StandIn = detail::StandInPipeline<Pattern_>;

 public:
  // Of any kernel's CTA, as the layout is the stand-in's.
  DMA_HOST_DEVICE DmaPipeline(const Cta& cta, typename StandIn::Storage& storage) : StandIn(cta, storage) {}
};

/// Streams tiles between global and shared memory. `Pattern_` says *what* moves, `Buffering` over `Sync` *when*,
/// `Engine_` *how*, and the buffering's warp layout *who* moves it.
///
/// Each thread has one object of a few registers; the CTA has one `Storage`. DMA warps, the *producers* of a load, call
/// `as_dma()` and `load`. Compute warps, its *consumers*, call `as_compute()` and `wait`. Both do so for the same
/// number of tiles, any number, in one loop or in several. With `Store<Pattern>` tiles move the other way: compute
/// warps fill the slot that `wait` returns, and DMA warps call `store`. With `Update<Pattern>` DMA warps call `load`
/// and `store` for each tile, and compute warps change it in between.
///
/// Construction and destruction are collective over the CTA. With named barriers the destructor waits for the last use
/// of each slot, so that no arrivals stay pending and the next pipeline can use the same ids. Phase barriers
/// (mbarriers) need no such wait, but their storage serves one pipeline until `close()`.
///
/// Source  SC'11, section 3.1: the cudaDMA object
template <class Pattern_, class Buffering, class Sync, class Engine_>
  requires(detail::policies_keep_contracts<Pattern_, Buffering, Sync, Engine_>())
class DmaPipeline<Pattern_, Buffering, Sync, Engine_>
    : detail::DmaSide<detail::PipelineTypes<Pattern_, Buffering, Sync, Engine_>> {
  using Types = detail::PipelineTypes<Pattern_, Buffering, Sync, Engine_>;
  using Side = detail::DmaSide<Types>;
  using Ring = typename Types::Ring;

 public:
  using Pattern = Pattern_;
  using Engine = Engine_;
  using Layout = typename Ring::Layout;
  using Storage = typename Ring::Storage;  ///< of a CTA, in shared memory
  using Element = typename Pattern::Element;
  /// What `load` and `store` take for the global side: an address, or the engine's `Array` where it has one.
  using Source =
      stdlib::conditional_t<detail::TakesArrays<Engine, Pattern>, detail::ArrayOf<Engine, Pattern>, const Element*>;
  using Destination =
      stdlib::conditional_t<detail::TakesArrays<Engine, Pattern>, detail::ArrayOf<Engine, Pattern>, Element*>;

  static constexpr bool is_store = Ring::is_store;    ///< moves tiles to global memory: `Store`, `StoreAdd`
  static constexpr bool is_update = Ring::is_update;  ///< loads and stores each tile: `Update`
  static constexpr int stages = Ring::stages;
  static constexpr int groups = Ring::groups;  ///< DMA groups that take turns at the tiles: `DmaGroups`
  static constexpr int group_threads = Ring::group_threads;
  static constexpr int warp_sets = Ring::warp_sets;                  ///< sets of DMA warps that take turns at the tiles
  static constexpr int slot_bytes = Ring::slot_bytes;                ///< of a slot in shared memory
  static constexpr int barrier_ids = Ring::barrier_ids;              ///< named barriers that it uses
  static constexpr int reserved_barriers = Ring::reserved_barriers;  ///< that the assembler reserves for it in a CTA
  static constexpr int source_alignment = detail::source_alignment_of<Pattern>();  ///< of addresses in global memory

  static_assert(detail::keeps_alignment<Pattern>(),
                "dma::DmaPipeline: a run of this pattern does not begin on a multiple of the run_alignment that it "
                "declares (a power of two); declare a smaller run_alignment, or align the run's offsets");
  static_assert(Pattern{}.is_full(),
                "dma::DmaPipeline: 'Pattern{}' must be the full tile and its is_full() returns false; give the "
                "pattern's members the full tile's values as defaults");
  static_assert(
      detail::stays_inside_tile<Pattern>(),
      "dma::DmaPipeline: a run of this pattern is outside its tile or larger than declared, or 'Pattern{}' has "
      "another number of runs than max_run_count; make tile_bytes, max_run_count and max_run_bytes those of "
      "the full tile, and give it runs of 0 bytes where other values have more");
  static_assert(detail::keeps_uniformity<Pattern>(),
                "dma::DmaPipeline: this pattern declares runs_are_uniform or pitches and its runs differ; remove "
                "these, or make every run max_run_bytes long and one pitch after the one before");
  static_assert(detail::keeps_runs_apart<Pattern>(),
                "dma::DmaPipeline: two runs of this pattern overlap in shared memory; give each bytes of its own");
  static_assert(stages <= Ring::most_stages,
                "dma::DmaPipeline: its stages need more named barriers than its DMA groups' share of the 15 that a CTA "
                "has, two a stage (three where several warps update); use fewer stages, or dma::CudaBarrier");
  static_assert(sizeof(Storage) <= detail::max_shared_bytes,
                "dma::DmaPipeline: its stages need more shared memory than the 227 KB that a CTA can have; "
                "use fewer stages or a smaller tile");
  static_assert(!is_store_add<Pattern> || detail::engine_traits<Engine>.can_add,
                "dma::DmaPipeline: this engine does not declare that it adds (EngineTraits::can_add), so it would "
                "replace the elements that dma::StoreAdd adds to; use dma::RegisterCopy<>, or dma::Store");
  static_assert(
      is_store || detail::engine_traits<Engine>.can_fill || !detail::has_padding<Pattern>(),
      "dma::DmaPipeline: this engine does not declare that it fills (EngineTraits::can_fill), so padding elements of "
      "the tile would keep old bytes; call dma::fill_outside in its load, or use dma::RegisterCopy<>");
  static_assert(
      !is_update || !Ring::slots_begin_held,
      "dma::DmaPipeline: dma::cudadma::BeginsHeld is for loads, and slots of a dma::Update begin empty with the DMA "
      "warps; leave it out");
  static_assert(
      !is_store || !Ring::slots_begin_held,
      "dma::DmaPipeline: dma::cudadma::BeginsHeld is for loads, and slots of a pipeline that stores begin empty with "
      "the compute warps, which fill them; leave it out");
  static_assert(Sync::supports(Types::completion),
                "dma::DmaPipeline: this barrier's supports() refuses the completion of this engine's copies "
                "(dma::NamedBarrier does not count the bytes of dma::BulkCopy and dma::TensorCopy); use "
                "dma::CudaBarrier or dma::RegisterCopy<>, or support it in a barrier of your own");
  static_assert(
      detail::engine_traits<Engine>.multicast == 1 || detail::engine_traits<Engine>.multicast == detail::ctas_of<Sync>,
      "dma::DmaPipeline: this engine loads for several CTAs of a cluster (multicast), and its barrier does not "
      "wait for the consumers of all of them; use dma::ClusterBarrier<Ctas> with the same number");
  static_assert(!is_update || Sync::supports(Types::store_completion),
                "dma::DmaPipeline: this barrier's supports() refuses the completion of this engine's stores, and a "
                "dma::Update stores its tiles; use dma::CudaBarrier or dma::RegisterCopy<>, or support it in a barrier "
                "of your own");

  /// Collective over the CTA, before warps take their roles.
  ///
  /// Cost    over mbarriers: one thread initializes those of all stages, and the CTA synchronizes (of clusters, the
  ///         cluster)
  ///
  /// @param storage  of the CTA, in shared memory; for one pipeline at a time
  template <class Kernel>
  DMA_HOST_DEVICE DmaPipeline(const KernelCta<Kernel>& cta, Storage& storage,
                              machine::SourceLocation caller = machine::SourceLocation::here())
      : DmaPipeline(static_cast<const Cta&>(cta), storage, caller) {
    static_assert(stdlib::is_same_v<Layout, typename Kernel::Layout>,
                  "dma::DmaPipeline: the pipeline's WarpLayout is not the kernel body's Layout, so they would disagree "
                  "on each warp's role; use one layout for all pipelines of a kernel");
  }
  DMA_HOST_DEVICE DmaPipeline(const Cta& cta, Storage& storage,
                              machine::SourceLocation caller = machine::SourceLocation::here())
      : Side(cta, storage, caller) {}
  DmaPipeline(const DmaPipeline&) = delete;
  DmaPipeline& operator=(const DmaPipeline&) = delete;
  /// On a host a wait can throw, to report a deadlock.
  DMA_HOST_DEVICE ~DmaPipeline() noexcept(false) {
    Observer::called_from(machine::SourceLocation{});
    ring_.works_on(machine::Call::end);
    finish_stores();
    ring_.drain();
    ring_.end();
    ring_.leave_storage();
  }

  /// The handle with which DMA warps move tiles. A pointer; it may be copied.
  ///
  /// @pre is_dma(), or a layout without DMA warps
  [[nodiscard]] DMA_HOST_DEVICE DmaHandle<DmaPipeline> as_dma(
      machine::SourceLocation caller = machine::SourceLocation::here()) {
    Observer::called_from(caller);
    ring_.works_on(machine::Call::as_dma);
    DMA_EXPECTS(ring_.moves(), "dma::DmaPipeline: as_dma() is for the pipeline's DMA warps; ask is_dma() first");
    detail::expect_budget_taken<Layout>();
    return DmaHandle<DmaPipeline>(*this);
  }
  /// The handle with which compute warps wait for slots. A pointer; it may be copied.
  ///
  /// @pre is_compute(), or a layout without DMA warps
  [[nodiscard]] DMA_HOST_DEVICE ComputeHandle<DmaPipeline> as_compute(
      machine::SourceLocation caller = machine::SourceLocation::here()) {
    Observer::called_from(caller);
    ring_.works_on(machine::Call::as_compute);
    DMA_EXPECTS(ring_.computes(),
                Users::are_one_group ? "dma::DmaPipeline: as_compute() is for compute warps of the group that uses the "
                                       "pipeline (dma::UsedBy); ask is_compute() first"
                                     : "dma::DmaPipeline: as_compute() is for compute warps; ask is_compute() first");
    detail::expect_budget_taken<Layout>();
    return ComputeHandle<DmaPipeline>(*this);
  }

  /// Runs `move(dma, tile)` and `use(compute, tile)` for each tile of a range, each in the warps of its role:
  /// `pipe.for_each_tile(cta.tiles(count), move, use)`. The same body serves a layout without DMA warps, where every
  /// warp does both. There moving runs ahead of computing (or behind it, for stores) by as many tiles as the stages
  /// allow.
  ///
  /// Collective over the CTA. `move` calls `load` or `store` once for its tile, `use` calls `wait` once. With one DMA
  /// group both may skip a tile, the same one; several groups count the tiles, and skip some in a loop of their own.
  ///
  /// @pre tiles.step > 0, and tiles.last + groups * tiles.step is an int
  template <class Move, class Use>
  DMA_HOST_DEVICE void for_each_tile(TileRange tiles, const Move& move, const Use& use) {
    static_assert(!is_update,
                  "dma::DmaPipeline: a dma::Update loads, changes and stores each tile; give for_each_tile() three "
                  "functions: load(dma, tile), change(compute, tile) and store(dma, tile)");
    static_assert(!Layout::has_register_budgets,
                  "dma::DmaPipeline: for_each_tile() runs one tile at a time, so values that compute warps keep "
                  "between tiles would be outside their register budget; use take_roles(), with the loops inside");
    detail::expect_countable<groups, stages>(tiles);
    const DmaHandle<DmaPipeline> dma(*this);
    const ComputeHandle<DmaPipeline> compute(*this);
    if constexpr (!is_update && Layout::is_specialized) {
      if (ring_.moves()) {
        if constexpr (tiles_read_ahead > 1) {
          if (ring_.has_warp_set()) {
            detail::read_tiles_ahead<tiles_read_ahead>(*this, tiles, move);
            return;
          }
        }
        for (int tile : dma.my_tiles(tiles)) {
          move(dma, tile);
        }
      } else if (ring_.computes()) {
        for (int tile : tiles) {
          use(compute, tile);
        }
      }
    } else if constexpr (!is_update) {
      const auto move_tile = [&](int tile) { move(dma, tile); };
      const auto use_tile = [&](int tile) { use(compute, tile); };
      if constexpr (is_store) {
        detail::fill_ahead<stages>(tiles, use_tile, move_tile);
      } else {
        detail::fill_ahead<stages>(tiles, move_tile, use_tile);
      }
    }
  }

  /// The same for an `Update`: `load(dma, tile)`, `change(compute, tile)` and `store(dma, tile)` for each tile, as
  /// `DmaHandle::for_each_tile` has them.
  template <class Load, class Change, class Store>
  DMA_HOST_DEVICE void for_each_tile(TileRange tiles, const Load& load, const Change& change,
                                     const Store& store) requires(is_update) {
    static_assert(!Layout::has_register_budgets,
                  "dma::DmaPipeline: for_each_tile() runs one tile at a time, so values that compute warps keep "
                  "between tiles would be outside their register budget; use take_roles(), with the loops inside");
    detail::expect_countable<groups, stages>(tiles);
    const DmaHandle<DmaPipeline> dma(*this);
    const ComputeHandle<DmaPipeline> compute(*this);
    const auto load_tile = [&](int tile) { load(dma, tile); };
    const auto store_tile = [&](int tile) { store(dma, tile); };
    if constexpr (!Layout::is_specialized) {
      detail::fill_ahead<loaded_ahead>(tiles, load_tile, [&](int tile) {
        change(compute, tile);
        store(dma, tile);
      });
    } else if (ring_.moves()) {
      detail::fill_ahead<loaded_ahead>(tiles, load_tile, store_tile);
    } else if (ring_.computes()) {
      for (int tile : tiles) {
        change(compute, tile);
      }
    }
  }

  template <class... Arguments>
  DMA_HOST_DEVICE void for_each_tile(const Arguments&...) {
    static_assert(detail::always_false<Arguments..., Pattern>,
                  "dma::DmaPipeline: for_each_tile() takes a dma::TileRange and a function for each role; write "
                  "pipe.for_each_tile(cta.tiles(n), load, use), of a dma::Update (cta.tiles(n), load, change, store)");
  }

  /// Whether this thread is in one of the pipeline's DMA groups, or in a compute warp that uses it.
  ///
  /// @pre The layout has DMA warps: without them every warp has both roles.
  [[nodiscard]] DMA_HOST_DEVICE bool is_dma() const {
    expect_separate_roles();
    return ring_.moves();
  }
  [[nodiscard]] DMA_HOST_DEVICE bool is_compute() const {
    expect_separate_roles();
    return ring_.computes();
  }

  /// Ends the pipeline before the end of its scope and frees its storage, for example for another pipeline. What it
  /// stored is then in global memory. Collective over the CTA.
  ///
  /// @pre No slot is held.
  DMA_HOST_DEVICE void close(machine::SourceLocation caller = machine::SourceLocation::here()) {
    Observer::called_from(caller);
    ring_.works_on(machine::Call::close);
    observer_.closes();
    finish_stores();
    if constexpr (store_completion == Completion::bulk_group) {
      machine::wait_for_bulk_groups();
    }
    if constexpr (completion == Completion::async_group) {
      machine::wait_for_async_copies();  // For tiles that were loaded and not used.
    }
    if constexpr (completion == Completion::sync || completion == Completion::async_group) {
      // The next pipeline in this storage may move its tiles by bulk copies; those of this one need no fence here.
      machine::fence_async_proxy();
    }
    ring_.drain();
    ring_.end();
    ring_.close_barriers();
  }

 private:
  friend class DmaHandle<DmaPipeline>;
  friend class ComputeHandle<DmaPipeline>;
  friend class AsyncReads;
  friend class Slot<DmaPipeline>;
  friend struct detail::PhaseDoor;
  template <class>
  friend struct detail::TileAhead;
  template <class>
  friend struct detail::PipelineFacts;
  template <class, int>
  friend struct detail::TilesAhead;
  template <class, int>
  friend class detail::ReadAheadHandle;

  using Users = typename Ring::Users;  ///< the compute warps that use its tiles: `UsedBy`
  using Side::completion;
  using Side::finish_stores;
  using Side::loaded_ahead;
  using Side::moving_threads;
  using Side::observer_;
  using Side::ring_;
  using Side::store_completion;
  using Side::tiles_in_flight;
  using Side::tiles_read_ahead;
  using typename Side::Observer;
  using typename Side::Pending;

  static_assert(CopyEngine<Engine, Pattern, Pending>,
                "dma::CopyEngine: this engine does not take the pipeline's slots; let its load and store take any "
                "Slot (dma::MovableSlot)");

  DMA_HOST_DEVICE static void expect_separate_roles() {
    static_assert(Layout::is_specialized,
                  "dma::DmaPipeline: on a layout without DMA warps every warp has both roles, so there is no role to "
                  "ask for; call as_dma() and as_compute(), or use for_each_tile()");
  }
};

}  // namespace dma::inline v0_1
