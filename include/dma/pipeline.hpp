#pragma once

#include <dma/buffering/cursor.hpp>
#include <dma/config.hpp>
#include <dma/copy_engine.hpp>
#include <dma/cta.hpp>
#include <dma/default_policies.hpp>
#include <dma/handles.hpp>
#include <dma/sync/barrier.hpp>
#include <dma/transfer_pattern.hpp>
#include <dma/warp_layout.hpp>

namespace dma {

/// The largest shared memory that a CTA can have on any GPU so far; `launch` checks the one at hand.
inline constexpr int max_shared_bytes = 227 * 1024;

/// Tiles streamed from global to shared memory: *what* by `Pattern_`, *when* by `Buffering` over `Sync`, *how* by
/// `Engine`, and *who* by the buffering's warp layout.
///
/// One object a thread, of a few registers, over one `Storage` a CTA. DMA warps take `as_dma()` and call `load`;
/// compute warps take `as_compute()` and call `wait`; both do so for the same number of tiles, any number, in one loop
/// or in many.
///
/// Construction and destruction are collective over the CTA. With named barriers the destructor makes each DMA group
/// wait until its last slots are empty, so that nothing stays armed and the next pipeline may take the numbers. Phase
/// barriers need no such wait, but their storage serves one pipeline until that is closed by `close()`.
///
/// Source  SC'11, section 3.1: the cudaDMA object
template <TransferPattern Pattern_, class Buffering, Barrier Sync = DefaultBarrier, class Engine = DefaultEngine>
class DmaPipeline {
 public:
  using Pattern = Pattern_;
  using Layout = typename Buffering::Layout;

  static constexpr int groups = Buffering::groups;
  static constexpr int group_threads = Buffering::group_warps * warp_size;
  static constexpr int slot_bytes =
      (Pattern::tile_bytes + machine::shared_alignment - 1) / machine::shared_alignment * machine::shared_alignment;

 private:
  // A layout's DMA groups share out the barriers that hardware keeps, and a pipeline has those of its groups: whatever
  // pipelines a kernel has, no two that use different groups ever meet at one.
  static constexpr int ids_a_group = hardware_barriers / (Layout::is_specialized ? Layout::groups : 1);
  static constexpr int first_id = 1 + Buffering::first_group * ids_a_group;
  static constexpr int most_stages = Sync::ids == 0 ? max_shared_bytes : groups * ids_a_group / (2 * Sync::ids);

  static constexpr Parties full_parties{group_threads, Layout::compute_threads, !Layout::is_specialized};
  static constexpr Parties empty_parties{Layout::compute_threads, group_threads, !Layout::is_specialized};

  using State = typename Sync::State;
  using Point = BarrierPoint<State>;

 public:
  static constexpr int stages = Buffering::stages_for(slot_bytes, most_stages);

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
      "of two); declare a smaller run_alignment, or align the run's source, destination and length");
  static_assert(stays_inside_tile<Pattern>(),
                "dma::DmaPipeline: a run of this pattern leaves its tile or its bounds; "
                "make tile_bytes, max_run_count and max_run_bytes those of the full tile");
  static_assert(stages <= most_stages,
                "dma::DmaPipeline: its stages need more named barriers than its DMA groups' share of the 15 that a CTA "
                "has, two a stage; use fewer stages, or dma::CudaBarrier");
  static_assert(sizeof(Storage) <= max_shared_bytes,
                "dma::DmaPipeline: its stages need more shared memory than the 227 KB that a CTA can have; "
                "use fewer stages or a smaller tile");
  static_assert(Sync::carries(Engine::completion),
                "dma::DmaPipeline: this barrier cannot tell when this engine's copies are done; use dma::CudaBarrier");

  /// Collective over the CTA, before warps take their roles.
  DMA_HOST_DEVICE DmaPipeline(const Cta& cta, Storage& storage) : storage_(&storage) {
    DMA_EXPECTS(machine::cta_threads() == Layout::threads,
                "dma::DmaPipeline: the CTA has not the threads of the pipeline's WarpLayout; launch Layout::threads");
    if constexpr (Layout::is_specialized) {
      group_ = Layout::group_of_warp(machine::uniform_warp_rank()) - Buffering::first_group;
      first_thread_ = is_dma() ? Buffering::group_first_warp(group_) * warp_size : 0;
    }
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
  DMA_HOST_DEVICE ~DmaPipeline() noexcept(false) { drain(); }
  DmaPipeline(const DmaPipeline&) = delete;
  DmaPipeline& operator=(const DmaPipeline&) = delete;

  /// Ends the pipeline before its scope does and frees its storage, for another pipeline say. Collective over the CTA.
  ///
  /// @pre No slot is held.
  DMA_HOST_DEVICE void close() {
    drain();
    dma_cursor() = {};
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

  /// Whether this thread is in one of the pipeline's DMA groups, or computes. Both, on a layout without DMA warps.
  [[nodiscard]] DMA_HOST_DEVICE bool is_dma() const {
    return !Layout::is_specialized || (group_ >= 0 && group_ < groups);
  }
  [[nodiscard]] DMA_HOST_DEVICE bool is_compute() const {
    return !Layout::is_specialized || group_ < -Buffering::first_group;
  }

  /// @pre is_dma()
  [[nodiscard]] DMA_HOST_DEVICE DmaHandle<DmaPipeline> as_dma() {
    DMA_EXPECTS(is_dma(), "dma::DmaPipeline: as_dma() is for the pipeline's DMA warps; ask is_dma() first");
    return DmaHandle<DmaPipeline>(*this);
  }
  /// @pre is_compute()
  [[nodiscard]] DMA_HOST_DEVICE ComputeHandle<DmaPipeline> as_compute() {
    DMA_EXPECTS(is_compute(), "dma::DmaPipeline: as_compute() is for compute warps; ask is_compute() first");
    return ComputeHandle<DmaPipeline>(*this);
  }

  /// Runs `load(dma, tile)` and `compute(compute, tile)` for each tile `first`, `first + step`, ... below `last`, each
  /// in the warps whose job it is: the same body serves a layout with DMA warps and one without, where every warp loads
  /// ahead as far as the stages reach and then computes.
  template <class Load, class Use>
  DMA_HOST_DEVICE void for_each_tile(int first, int last, int step, const Load& load, const Use& use) {
    if constexpr (Layout::is_specialized) {
      if (is_dma()) {
        const DmaHandle<DmaPipeline> dma(*this);
        for (int tile : dma.share(first, last, step)) {
          load(dma, tile);
        }
      } else if (is_compute()) {
        const ComputeHandle<DmaPipeline> compute(*this);
        for (int tile = first; tile < last; tile += step) {
          use(compute, tile);
        }
      }
    } else {
      constexpr int ahead = stages > 1 ? stages - 1 : 1;
      const DmaHandle<DmaPipeline> dma(*this);
      const ComputeHandle<DmaPipeline> compute(*this);
      int next = first;
      for (int i = 0; i < ahead && next < last; ++i, next += step) {
        load(dma, next);
      }
      for (int tile = first; tile < last; tile += step, next += step) {
        if (stages > 1 && next < last) {
          load(dma, next);
        }
        use(compute, tile);
        if (stages == 1 && next < last) {
          load(dma, next);
        }
      }
    }
  }

 private:
  friend class DmaHandle<DmaPipeline>;
  friend class ComputeHandle<DmaPipeline>;
  friend class Slot<DmaPipeline>;

  // The DMA side.

  /// A slot in the hands of an engine.
  struct Filling {
    const DmaPipeline& pipeline;
    const Cursor& cursor;

    [[nodiscard]] DMA_HOST_DEVICE unsigned char* data() const { return pipeline.tile(cursor.stage); }
    DMA_HOST_DEVICE void wait_until_empty() const { pipeline.await_empty(cursor); }
  };
  /// A slot that the caller has waited for.
  struct Emptied {
    const DmaPipeline& pipeline;
    const Cursor& cursor;

    [[nodiscard]] DMA_HOST_DEVICE unsigned char* data() const { return pipeline.tile(cursor.stage); }
    DMA_HOST_DEVICE void wait_until_empty() const {}
  };
  static_assert(CopyEngine<Engine, Pattern, Filling>,
                "dma::DmaPipeline: Engine does not satisfy dma::CopyEngine for this pattern; use dma::RegisterCopy<>");

  DMA_HOST_DEVICE void load(const typename Pattern::Element* source, const Pattern& pattern) {
    if (is_my_turn()) {
      move(source, pattern, Filling{*this, dma_cursor()});
      announce_full();
    }
    dma_cursor().advance(stages);
  }
  DMA_HOST_DEVICE void wait_until_empty() {
    if (is_my_turn()) {
      await_empty(dma_cursor());
    }
  }
  DMA_HOST_DEVICE void copy(const typename Pattern::Element* source, const Pattern& pattern) {
    if (is_my_turn()) {
      move(source, pattern, Emptied{*this, dma_cursor()});
    }
  }
  DMA_HOST_DEVICE void signal_full() {
    if (is_my_turn()) {
      announce_full();
    }
    dma_cursor().advance(stages);
  }

  template <class FillableSlot>
  DMA_HOST_DEVICE void move(const typename Pattern::Element* source, const Pattern& pattern, const FillableSlot& slot) {
    if constexpr (requires { pattern.is_valid(); }) {
      DMA_EXPECTS(pattern.is_valid(),
                  "dma::load: this tile is larger than its pattern, or breaks the pattern's alignment");
    }
    DMA_EXPECTS(reinterpret_cast<unsigned long long>(source) % Pattern::run_alignment == 0,
                "dma::load: the source address is not a multiple of the pattern's run_alignment; "
                "align it, or give the pattern a smaller alignment");
    Engine::template load<Pattern, group_threads>(pattern, reinterpret_cast<const unsigned char*>(source), rank(),
                                                  slot);
  }
  DMA_HOST_DEVICE void announce_full() {
    const int stage = dma_cursor().stage;
    Sync::template arrive<full_parties, Lanes::together>(full(stage), site("DMA warps", "full", stage));
  }
  DMA_HOST_DEVICE void await_empty(const Cursor& cursor) const {
    if (cursor.wrapped) {
      Sync::template wait<empty_parties, Lanes::together>(empty(cursor.stage), cursor.parity ^ 1U,
                                                          site("DMA warps", "empty", cursor.stage));
    }
  }

  /// Waits for the last generation of every slot that was ever filled, where it would stay armed otherwise.
  DMA_HOST_DEVICE void drain() {
    if constexpr (Sync::needs_drain && Layout::is_specialized) {
      if (is_dma()) {
        const Cursor& cursor = dma_cursor();
        for (int stage = group_; stage < stages; stage += groups) {
          if (cursor.wrapped || stage < cursor.stage) {
            Sync::template wait<empty_parties, Lanes::together>(empty(stage), 0, site("DMA warps", "empty", stage));
          }
        }
      }
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

  [[nodiscard]] DMA_HOST_DEVICE unsigned char* wait_until_full() const {
    const Cursor& cursor = cursors_[compute_side];
    Sync::template wait<full_parties, Lanes::anywhere>(full(cursor.stage), cursor.parity,
                                                       site("compute warps", "full", cursor.stage));
    return tile(cursor.stage);
  }
  /// The stage that has been waited for; its slot is the caller's to give back.
  [[nodiscard]] DMA_HOST_DEVICE int take_full() {
    static_cast<void>(wait_until_full());
    const int stage = cursors_[compute_side].stage;
    cursors_[compute_side].advance(stages);
    return stage;
  }
  DMA_HOST_DEVICE void signal_empty(int stage) const {
    Sync::template arrive<empty_parties, Lanes::anywhere>(empty(stage), site("compute warps", "empty", stage));
  }
  DMA_HOST_DEVICE void signal_empty() {
    signal_empty(cursors_[compute_side].stage);
    cursors_[compute_side].advance(stages);
  }

  // Both.

  [[nodiscard]] DMA_HOST_DEVICE unsigned char* tile(int stage) const { return storage_->tiles[stage]; }
  [[nodiscard]] DMA_HOST_DEVICE int rank() const { return machine::thread_rank() - first_thread_; }
  [[nodiscard]] DMA_HOST_DEVICE Cursor& dma_cursor() { return cursors_[0]; }

  [[nodiscard]] DMA_HOST_DEVICE Point full(int stage) const {
    return {storage_->full(stage), Sync::ids * (first_id + 2 * stage)};
  }
  [[nodiscard]] DMA_HOST_DEVICE Point empty(int stage) const {
    return {storage_->empty(stage), Sync::ids * (first_id + 2 * stage + 1)};
  }
  [[nodiscard]] DMA_HOST_DEVICE static host::Site site(const char* who, const char* state, int stage) {
    return {who, state, stage, host::type_name<DmaPipeline>()};
  }

  /// A thread with one role has one cursor; where warps have both, loading runs ahead of computing.
  static constexpr int compute_side = Layout::is_specialized ? 0 : 1;

  Storage* storage_;
  int group_ = 0;  ///< of the pipeline's groups; out of their range in a thread of another role
  int first_thread_ = 0;
  Cursor cursors_[compute_side + 1] = {};
};

}  // namespace dma
