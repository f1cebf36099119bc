#pragma once

#include <dma/buffering/cursor.hpp>
#include <dma/config.hpp>
#include <dma/copy_engine.hpp>
#include <dma/cta.hpp>
#include <dma/default_policies.hpp>
#include <dma/handles.hpp>
#include <dma/patterns/store.hpp>
#include <dma/sync/barrier.hpp>
#include <dma/transfer_pattern.hpp>
#include <dma/warp_layout.hpp>

namespace dma {

/// The largest shared memory that a CTA can have on any GPU so far; `launch` checks the one at hand.
inline constexpr int max_shared_bytes = 227 * 1024;

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
template <TransferPattern Pattern_, class Buffering, Barrier Sync = DefaultBarrier, class Engine_ = DefaultEngine>
class DmaPipeline {
 public:
  using Pattern = Pattern_;
  using Engine = Engine_;
  using Layout = typename Buffering::Layout;

  static constexpr bool stores = is_store<Pattern>;
  static constexpr int groups = Buffering::groups;
  static constexpr int group_threads = Buffering::group_warps * warp_size;
  static constexpr int slot_bytes =
      (Pattern::tile_bytes + machine::shared_alignment - 1) / machine::shared_alignment * machine::shared_alignment;

 private:
  // A layout's DMA groups share out the barriers that hardware keeps, and a pipeline has those of its groups: whatever
  // pipelines a kernel has, no two that use different groups ever meet at one. Two of the same group would; a host says
  // so.
  static constexpr int ids_a_group = hardware_barriers / (Layout::is_specialized ? Layout::groups : 1);
  static constexpr int first_id = 1 + Buffering::first_group * ids_a_group;
  static constexpr int most_stages = Sync::ids == 0 ? max_shared_bytes : groups * ids_a_group / (2 * Sync::ids);

  // Who fills a slot arrives at full and waits for empty; who uses it up, the other way round.
  static constexpr int filling_threads = stores ? Layout::compute_threads : group_threads;
  static constexpr int using_threads = stores ? group_threads : Layout::compute_threads;
  static constexpr Parties full_parties{filling_threads, using_threads, !Layout::is_specialized};
  static constexpr Parties empty_parties{using_threads, filling_threads, !Layout::is_specialized};

  using State = typename Sync::State;
  using Point = BarrierPoint<State>;

 public:
  static constexpr int stages = Buffering::stages_for(slot_bytes, most_stages);
  static constexpr int barrier_ids = Sync::ids * 2 * stages;  ///< named barriers that it takes

 private:
  struct Tiles {
    alignas(machine::shared_alignment) unsigned char tiles[stages][slot_bytes];
  };

 public:
  /// The pipeline's shared memory. Trivial: declare it `__shared__`, or as a member of a kernel body's `Shared`.
  struct Storage : Tiles, BarrierStates<State, stages> {};

  static_assert(
      keeps_alignment<Pattern>(),
      "dma::DmaPipeline: a run of this pattern is not a multiple of the run_alignment that it declares (a power "
      "of two); declare a smaller run_alignment, or align the run's two places and its length");
  static_assert(stays_inside_tile<Pattern>(),
                "dma::DmaPipeline: a run of this pattern leaves its tile or its bounds; "
                "make tile_bytes, max_run_count and max_run_bytes those of the full tile");
  static_assert(keeps_uniformity<Pattern>(),
                "dma::DmaPipeline: this pattern says runs_are_uniform, or gives pitches, and its runs are not so; "
                "leave those members out, or make every run max_run_bytes long and one pitch from the one before");
  static_assert(keeps_runs_apart<Pattern>(),
                "dma::DmaPipeline: two runs of this pattern overlap in shared memory; give each bytes of its own");
  static_assert(stages <= most_stages,
                "dma::DmaPipeline: its stages need more named barriers than its DMA groups' share of the 15 that a CTA "
                "has, two a stage; use fewer stages, or dma::CudaBarrier");
  static_assert(sizeof(Storage) <= max_shared_bytes,
                "dma::DmaPipeline: its stages need more shared memory than the 227 KB that a CTA can have; "
                "use fewer stages or a smaller tile");
  static_assert(Sync::carries(Engine::completion),
                "dma::DmaPipeline: this barrier cannot tell when this engine's copies are done; use dma::CudaBarrier");

  /// Collective over the CTA, before warps take their roles.
  template <class Kernel>
  DMA_HOST_DEVICE DmaPipeline(const KernelCta<Kernel>& cta, Storage& storage)
      : DmaPipeline(static_cast<const Cta&>(cta), storage) {
    static_assert(
        stdlib::is_same_v<Layout, typename Kernel::Layout>,
        "dma::DmaPipeline: the pipeline's WarpLayout is not the kernel body's Layout, so they would disagree on "
        "who is who; use one layout for all pipelines of a kernel");
  }
  DMA_HOST_DEVICE DmaPipeline(const Cta& cta, Storage& storage) : storage_(&storage) {
    DMA_EXPECTS(machine::cta_threads() == Layout::threads,
                "dma::DmaPipeline: the CTA has not the threads of the pipeline's WarpLayout; launch Layout::threads");
    if constexpr (Layout::is_specialized) {
      group_ = Layout::group_of_warp(machine::uniform_warp_rank()) - Buffering::first_group;
      first_thread_ = moves() ? Buffering::group_first_warp(group_) * warp_size : 0;
    }
    machine::claim_barriers(first_id, barrier_ids);
    if constexpr (!stdlib::is_empty_v<State>) {
      if (cta.thread() == 0) {
        for (int stage = 0; stage < stages; ++stage) {
          Sync::template open<full_parties>(full(stage));
          Sync::template open<empty_parties>(empty(stage));
        }
      }
      cta.sync();
    }
  }
  /// On a host, waiting can end by a throw: a deadlock is reported, not suffered.
  DMA_HOST_DEVICE ~DmaPipeline() noexcept(false) {
    drain();
    machine::release_barriers(first_id, barrier_ids);
  }
  DmaPipeline(const DmaPipeline&) = delete;
  DmaPipeline& operator=(const DmaPipeline&) = delete;

  /// Ends the pipeline before its scope does and frees its storage, for another pipeline say. Collective over the CTA.
  ///
  /// @pre No slot is held.
  DMA_HOST_DEVICE void close() {
    drain();
    for (Cursor& cursor : cursors_) {
      cursor = {};
    }
    machine::release_barriers(first_id, barrier_ids);
    machine::sync_cta();
    if constexpr (!stdlib::is_empty_v<State>) {
      if (machine::thread_rank() == 0) {
        for (int stage = 0; stage < stages; ++stage) {
          Sync::close(full(stage));
          Sync::close(empty(stage));
        }
      }
      machine::sync_cta();
    }
  }

  /// Whether this thread is in one of the pipeline's DMA groups, or computes.
  [[nodiscard]] DMA_HOST_DEVICE bool is_dma() const {
    static_assert(
        Layout::is_specialized,
        "dma::DmaPipeline: on a layout without DMA warps every warp has both roles, so there is none to ask for; "
        "take as_dma() and as_compute(), or use for_each_tile()");
    return moves();
  }
  [[nodiscard]] DMA_HOST_DEVICE bool is_compute() const {
    static_assert(
        Layout::is_specialized,
        "dma::DmaPipeline: on a layout without DMA warps every warp has both roles, so there is none to ask for; "
        "take as_dma() and as_compute(), or use for_each_tile()");
    return computes();
  }

  /// @pre is_dma(), or a layout without DMA warps
  [[nodiscard]] DMA_HOST_DEVICE DmaHandle<DmaPipeline> as_dma() {
    DMA_EXPECTS(moves(), "dma::DmaPipeline: as_dma() is for the pipeline's DMA warps; ask is_dma() first");
    return DmaHandle<DmaPipeline>(*this);
  }
  /// @pre is_compute(), or a layout without DMA warps
  [[nodiscard]] DMA_HOST_DEVICE ComputeHandle<DmaPipeline> as_compute() {
    DMA_EXPECTS(computes(), "dma::DmaPipeline: as_compute() is for compute warps; ask is_compute() first");
    return ComputeHandle<DmaPipeline>(*this);
  }

  /// Runs `move(dma, tile)` and `use(compute, tile)` for each tile `first`, `first + step`, ... below `last`, each in
  /// the warps whose job it is: the same body serves a layout with DMA warps and one without, where every warp does
  /// both, moving as far ahead of computing, or behind it, as the stages reach.
  template <class Move, class Use>
  DMA_HOST_DEVICE void for_each_tile(int first, int last, int step, const Move& move, const Use& use) {
    const DmaHandle<DmaPipeline> dma(*this);
    const ComputeHandle<DmaPipeline> compute(*this);
    if constexpr (Layout::is_specialized) {
      if (moves()) {
        for (int tile : dma.share(first, last, step)) {
          move(dma, tile);
        }
      } else if (computes()) {
        for (int tile = first; tile < last; tile += step) {
          use(compute, tile);
        }
      }
    } else {
      // The side that fills is this many tiles ahead.
      constexpr int ahead = stages > 1 ? stages - 1 : 1;
      int filled = first;
      const auto fill = [&] {
        if constexpr (stores) {
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
        if constexpr (stores) {
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

  using Element = typename Pattern::Element;

  [[nodiscard]] DMA_HOST_DEVICE bool moves() const {
    return !Layout::is_specialized || (group_ >= 0 && group_ < groups);
  }
  [[nodiscard]] DMA_HOST_DEVICE bool computes() const {
    return !Layout::is_specialized || group_ < -Buffering::first_group;
  }

  // The two synchronization points of a slot, whoever uses them.

  template <Lanes lanes>
  DMA_HOST_DEVICE void announce_full(int stage) const {
    Sync::template arrive<full_parties, lanes>(full(stage), site(filling_side, "full", stage));
  }
  template <Lanes lanes>
  DMA_HOST_DEVICE void announce_empty(int stage) const {
    Sync::template arrive<empty_parties, lanes>(empty(stage), site(using_side, "empty", stage));
  }
  template <Lanes lanes>
  DMA_HOST_DEVICE void await_full(const Cursor& cursor) const {
    Sync::template wait<full_parties, lanes>(full(cursor.stage), cursor.parity, site(using_side, "full", cursor.stage));
  }
  /// In the first round every slot is empty.
  template <Lanes lanes>
  DMA_HOST_DEVICE void await_empty(const Cursor& cursor) const {
    if (cursor.wrapped) {
      Sync::template wait<empty_parties, lanes>(empty(cursor.stage), cursor.parity ^ 1U,
                                                site(filling_side, "empty", cursor.stage));
    }
  }
  /// Waits for the last generation of the slots `first`, `first + step`, ... that were ever filled.
  DMA_HOST_DEVICE void drain_slots(const Cursor& cursor, int first, int step) const {
    machine::sync_warp();
    for (int stage = first; stage < stages; stage += step) {
      if (cursor.wrapped || stage < cursor.stage) {
        const unsigned parity = stage < cursor.stage ? cursor.parity : cursor.parity ^ 1U;
        Sync::template wait<empty_parties, Lanes::together>(empty(stage), parity, site(filling_side, "empty", stage));
      }
    }
  }
  /// Waits where a generation that nobody waited for would stay armed. On a host always: tiles that nobody takes are
  /// then reported, whatever the barrier.
  DMA_HOST_DEVICE void drain() {
    if constexpr ((Sync::needs_drain || machine::is_host) && Layout::is_specialized) {
      if constexpr (stores) {
        if (computes()) {
          drain_slots(compute_cursor(), 0, 1);
        }
      } else {
        if (moves()) {
          drain_slots(dma_cursor(), group_, groups);
        }
      }
    }
  }

  // The DMA side.

  /// A slot in the hands of an engine, which waits for it when it is ready to.
  struct Awaited {
    const DmaPipeline& pipeline;
    const Cursor& cursor;

    [[nodiscard]] DMA_HOST_DEVICE unsigned char* data() const { return pipeline.tile(cursor.stage); }
    DMA_HOST_DEVICE void wait_until_empty() const { pipeline.template await_empty<Lanes::together>(cursor); }
    DMA_HOST_DEVICE void wait_until_full() const { pipeline.template await_full<Lanes::together>(cursor); }
  };
  /// A slot that the caller has waited for.
  struct Ready {
    unsigned char* tile;

    [[nodiscard]] DMA_HOST_DEVICE unsigned char* data() const { return tile; }
    DMA_HOST_DEVICE void wait_until_empty() const {}
    DMA_HOST_DEVICE void wait_until_full() const {}
  };
  static_assert(CopyEngine<Engine, Pattern, Awaited>,
                "dma::DmaPipeline: Engine does not satisfy dma::CopyEngine for this pattern; use dma::RegisterCopy<>");

  /// Moves one tile between its slot and `global`, a const address for a load.
  template <class Global>
  DMA_HOST_DEVICE void transfer(Global* global, const Pattern& pattern) {
    if (is_my_turn()) {
      move(global, pattern, Awaited{*this, dma_cursor()});
    }
    signal_moved<Lanes::together>();
  }
  DMA_HOST_DEVICE void wait_until_movable() const {
    if (is_my_turn()) {
      if constexpr (stores) {
        await_full<Lanes::anywhere>(cursors_[0]);
      } else {
        await_empty<Lanes::anywhere>(cursors_[0]);
      }
    }
  }
  template <class Global>
  DMA_HOST_DEVICE void copy(Global* global, const Pattern& pattern) {
    if (is_my_turn()) {
      move(global, pattern, Ready{tile(dma_cursor().stage)});
    }
  }
  template <Lanes lanes>
  DMA_HOST_DEVICE void signal_moved() {
    if (is_my_turn()) {
      if constexpr (stores) {
        announce_empty<lanes>(dma_cursor().stage);
      } else {
        announce_full<lanes>(dma_cursor().stage);
      }
    }
    dma_cursor().advance(stages);
  }

  template <class Global, class Slot>
  DMA_HOST_DEVICE void move(Global* global, const Pattern& pattern, const Slot& slot) {
#if defined(__CUDA_ARCH__)
    expect_members_on_device(pattern);
#endif
    if constexpr (requires { pattern.is_valid(); }) {
      DMA_EXPECTS(pattern.is_valid(),
                  "dma::DmaHandle: this tile is larger than its pattern, or breaks the pattern's alignment");
    }
    DMA_EXPECTS(reinterpret_cast<unsigned long long>(global) % Pattern::run_alignment == 0,
                "dma::DmaHandle: the global address is not a multiple of the pattern's run_alignment; "
                "align it, or give the pattern a smaller alignment");
    machine::slot_moving(slot.data());
    if constexpr (stores) {
      Engine::template store<Pattern, group_threads>(pattern, reinterpret_cast<unsigned char*>(global), rank(), slot);
      machine::slot_used(slot.data(), pattern.size());
    } else {
      Engine::template load<Pattern, group_threads>(pattern, reinterpret_cast<const unsigned char*>(global), rank(),
                                                    slot);
      machine::slot_filled(slot.data(), pattern.size());
    }
  }

  [[nodiscard]] DMA_HOST_DEVICE bool is_my_turn() const { return groups == 1 || cursors_[0].stage % groups == group_; }
  [[nodiscard]] DMA_HOST_DEVICE int turns_until_mine() const {
    return groups == 1 ? 0 : (group_ - cursors_[0].stage % groups + groups) % groups;
  }
  DMA_HOST_DEVICE void skip(int tiles) {
    for (int i = 0; i < tiles; ++i) {
      dma_cursor().advance(stages);
    }
  }

  // The compute side.

  /// Waits for the next slot, full or empty as the direction has it.
  [[nodiscard]] DMA_HOST_DEVICE unsigned char* wait_for_slot() const {
    const Cursor& cursor = cursors_[compute_side];
    if constexpr (stores) {
      await_empty<Lanes::anywhere>(cursor);
    } else {
      await_full<Lanes::anywhere>(cursor);
    }
    return tile(cursor.stage);
  }
  /// The stage that has been waited for; its slot is the caller's to give back.
  [[nodiscard]] DMA_HOST_DEVICE int take_slot(const Pattern& pattern) {
    const unsigned char* const slot = wait_for_slot();
    if constexpr (stores) {
      machine::slot_filled(slot, pattern.size());
    } else {
      machine::slot_used(slot, pattern.size());
    }
    machine::slot_held(slot, true);
    const int stage = compute_cursor().stage;
    compute_cursor().advance(stages);
    return stage;
  }
  DMA_HOST_DEVICE void give_back(int stage) const {
    machine::slot_held(tile(stage), false);
    if constexpr (stores) {
      announce_full<Lanes::anywhere>(stage);
    } else {
      announce_empty<Lanes::anywhere>(stage);
    }
  }
  DMA_HOST_DEVICE void give_back_next() {
    give_back(compute_cursor().stage);
    compute_cursor().advance(stages);
  }

  // Both.

  [[nodiscard]] DMA_HOST_DEVICE unsigned char* tile(int stage) const { return storage_->tiles[stage]; }
  [[nodiscard]] DMA_HOST_DEVICE int rank() const { return machine::thread_rank() - first_thread_; }
  [[nodiscard]] DMA_HOST_DEVICE Cursor& dma_cursor() { return cursors_[0]; }
  [[nodiscard]] DMA_HOST_DEVICE Cursor& compute_cursor() { return cursors_[compute_side]; }

  [[nodiscard]] DMA_HOST_DEVICE Point full(int stage) const {
    return {storage_->full(stage), Sync::ids * (first_id + 2 * stage)};
  }
  [[nodiscard]] DMA_HOST_DEVICE Point empty(int stage) const {
    return {storage_->empty(stage), Sync::ids * (first_id + 2 * stage + 1)};
  }
  [[nodiscard]] DMA_HOST_DEVICE static host::Site site(const char* who, const char* state, int stage) {
    return {who, state, stage, host::type_name<DmaPipeline>()};
  }

  static constexpr const char* filling_side = stores ? "compute warps" : "DMA warps";
  static constexpr const char* using_side = stores ? "DMA warps" : "compute warps";

  /// A thread with one role has one cursor; where warps have both, loading runs ahead of computing.
  static constexpr int compute_side = Layout::is_specialized ? 0 : 1;

  Storage* storage_;
  int group_ = 0;  ///< of the pipeline's groups; out of their range in a thread of another role
  int first_thread_ = 0;
  Cursor cursors_[compute_side + 1] = {};
};

}  // namespace dma
