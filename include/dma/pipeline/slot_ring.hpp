#pragma once

#include <dma/buffering/buffering.hpp>
#include <dma/buffering/used_by.hpp>
#include <dma/config.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/scope.hpp>
#include <dma/patterns/store.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/pipeline/cursor.hpp>
#include <dma/pipeline/observer.hpp>
#include <dma/pipeline/warp_sets.hpp>
#include <dma/roles/role.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/standard.hpp>
#include <dma/sync/barrier.hpp>
#include <dma/sync/barrier_ids.hpp>
#include <dma/thresholds.hpp>

namespace dma::inline v0_1::detail {

/// The largest shared memory that a CTA can have on any GPU so far; `launch` checks the device in use.
inline constexpr int max_shared_bytes = 227 * 1024;
/// The most stages of a barrier that the hardware does not number: more than any shared memory holds.
inline constexpr int no_barrier_limit = 1 << 20;

/// The slots of a pipeline in shared memory, their barriers, and this thread's position among them. It decides which
/// warps fill and which use a slot, and does not depend on how tiles move.
///
/// Each slot has two synchronization points. The side that fills it arrives at *full* and waits for *empty*; the side
/// that uses it waits for *full* and arrives at *empty*. A layout's DMA groups divide the 15 named barriers evenly, and
/// a pipeline uses those of its groups: two pipelines of different groups never use the same one. Two pipelines of the
/// same group would; the host and the checked build report it.
///
/// @param T  as `PipelineTypes`; the name of its `Owner` stands in messages
template <class T>
class SlotRing {
  using Pattern = typename T::Pattern;
  using Buffering = typename T::Buffering;
  using Sync = typename T::Sync;
  static constexpr Completion copies = T::completion;

 public:
  using Layout = typename Buffering::Layout;

  static constexpr bool is_store = detail::is_store<Pattern>;
  static constexpr bool is_update = detail::is_update<Pattern>;
  static constexpr bool slots_begin_held = detail::slots_begin_held<Buffering>;
  static constexpr Thresholds thresholds = thresholds_of<Buffering>;
  static constexpr int groups = Buffering::groups;
  static constexpr int group_threads = GroupsOf<Buffering>::warps * warp_size;
  static constexpr int slot_alignment = tile_alignment_of<Pattern>();
  static constexpr int slot_bytes = round_up(Pattern::tile_bytes, slot_alignment);

  static constexpr int ids_a_group =
      (hardware_barriers - group_barriers<Layout>) / (Layout::is_specialized ? Layout::groups : 1);
  static constexpr int first_id = first_pipeline_barrier<Layout> + Buffering::first_group * ids_a_group;
  /// Whether the DMA warps tell one another that an updated tile has been stored: one warp knows it.
  static constexpr bool has_stored_points = is_update && GroupsOf<Buffering>::warps > 1;
  static constexpr int points_a_stage = has_stored_points ? 3 : 2;
  static constexpr int own_ids =
      groups * ids_a_group < all_barriers - first_id ? groups * ids_a_group : all_barriers - first_id;
  static constexpr int most_stages = Sync::ids == 0 ? no_barrier_limit : own_ids / (points_a_stage * Sync::ids);

 private:
  using Sets =
      WarpSets<Buffering, Pattern, copies, copies != Completion::sync && Sync::completes_asynchronously(copies),
               Buffering::stages_for(slot_bytes, most_stages)>;

 public:
  static constexpr int stages = Sets::stages;
  static constexpr int warp_sets = Sets::count;                   ///< that take turns at the tiles
  static constexpr int moving_threads = Sets::warps * warp_size;  ///< that move a tile together

  using Users = UsersOf<Buffering>;  ///< which fill the slots of a pipeline that stores

  static constexpr int filling_threads = is_store ? Users::threads : moving_threads;
  static constexpr int using_threads = is_store ? moving_threads : Users::threads;
  static constexpr Participants full_participants{filling_threads, using_threads, !sides_are_apart<Buffering>};
  static constexpr Participants empty_participants{using_threads, filling_threads, !sides_are_apart<Buffering>};

  static constexpr Participants stored_participants{moving_threads, moving_threads, true};

  static constexpr int barrier_ids = Sync::ids * points_a_stage * stages;  ///< named barriers that it uses

  /// Whether their numbers are immediates. With one stage each number is a constant anyway.
  static constexpr bool has_immediate_ids = Sync::ids != 0 && stages > 1 &&
                                            immediate_ids_pay(first_id + barrier_ids, Layout::threads,
                                                              stages* slot_bytes);
  /// Named barriers that the assembler reserves for them in each CTA.
  static constexpr int reserved_barriers = barrier_ids == 0                   ? 0
                                           : stages == 1 || has_immediate_ids ? first_id + barrier_ids
                                                                              : all_barriers;

  static_assert(stages >= groups && stages % groups == 0,
                "dma::Buffering: the number of stages is not a positive multiple of the groups that take turns at "
                "them; make it one, so that each stage belongs to one DMA group");
  // A stage uses two or three; the one left over of an odd number is `compute_barrier`.
  static_assert(first_id + barrier_ids - 1 <= hardware_barriers || stages > most_stages,
                "dma::DmaPipeline: the stages' barriers do not fit beside the one that synchronizes the compute warps; "
                "use fewer stages, or dma::CudaBarrier");

  using Observer = detail::Observer<Pattern, stages>;

 private:
  static constexpr int no_slot = -1;
  using State = typename Sync::State;
  using Point = BarrierPoint<State>;

  struct Tiles {
    alignas(slot_alignment) unsigned char tiles[stages][slot_bytes];
  };

 public:
  /// The pipeline's shared memory. Trivial: declare it `__shared__`, or as a member of a kernel body's `Shared`.
  struct Storage : Tiles, BarrierStates<State, stages>, StoredStates<State, stages, has_stored_points> {};

  /// Collective over the CTA.
  DMA_HOST_DEVICE SlotRing(const Cta& cta, Storage& storage, machine::SourceLocation caller) : storage_(&storage) {
    Observer::called_from(caller);
    Observer::works_on(machine::Call::construction, site(machine::Who::threads, machine::Point::barrier, no_slot));
    expect_launch_and_storage();
    take_role();
    record_ = machine::record_of(site(machine::Who::threads, machine::Point::barrier, no_slot), stages);
    Observer::opened(site(machine::Who::threads, machine::Point::opening, no_slot), slot_bytes, record_,
                     !stdlib::is_empty_v<State>, first_id, barrier_ids);
    machine::call_on_device<BarrierMembers<Sync, full_participants>>(full(0));
    open_barriers(cta);
  }
  SlotRing(const SlotRing&) = delete;
  SlotRing& operator=(const SlotRing&) = delete;
  ~SlotRing() = default;

  /// Invalidates the barriers, so that their storage is free. Collective over the CTA, after `drain`.
  DMA_HOST_DEVICE void close_barriers() {
    for (Cursor& cursor : cursors_) {
      cursor = {};
    }
    leave_storage();
    Observer::freed(record_);
    machine::sync_cta();
    if constexpr (!stdlib::is_empty_v<State>) {
      if (machine::thread_rank() == 0) {
        for (int stage = 0; stage < stages; ++stage) {
          Sync::close(full(stage));
          Sync::close(empty(stage));
          if constexpr (has_stored_points) {
            Sync::close(stored(stage));
          }
        }
        machine::fence_async_proxy();  // A bulk copy may overwrite the barriers.
      }
      machine::sync_cta();
    }
  }
  /// Reports that the thread's call is about this pipeline, and about slot `stage` if it is about one.
  DMA_HOST_DEVICE void works_on(machine::Call call, int stage = no_slot) const {
    Observer::works_on(call, site(machine::Who::threads, machine::Point::barrier, stage), record_);
  }
  /// Reports before which tile this warp ends, on each side that it has.
  DMA_HOST_DEVICE void end() const {
    const auto position = [](const Cursor& cursor) { return cursor.stage + (cursor.parity == 0 ? 0 : stages); };
    Observer::ends(record_, moves() || computes(), position(cursors_[0]), position(cursors_[compute_side]));
  }
  /// Reports that this thread uses neither the storage nor the barriers any more.
  DMA_HOST_DEVICE void leave_storage() const {
    Observer::closed(storage_, int{sizeof(Storage)}, first_id, barrier_ids);
  }

  [[nodiscard]] DMA_HOST_DEVICE bool moves() const {
    return !sides_are_apart<Buffering> || (group_ >= 0 && group_ < groups);
  }
  [[nodiscard]] DMA_HOST_DEVICE bool computes() const {
    if constexpr (Users::are_one_group) {
      const int rank = machine::thread_rank() - Users::first_thread;
      return rank >= 0 && rank < Users::threads;
    } else {
      return !Layout::is_specialized || group_ < -Buffering::first_group;
    }
  }

  /// The compute group of a compute warp, as a value that is the same in its lanes.
  [[nodiscard]] DMA_HOST_DEVICE int compute_group() const { return compute_group_; }

  /// Signals that a tile is in its slot, or will be when its copies complete; `bytes` are those of this warp's bulk
  /// copies.
  template <Completion completion, Lanes lanes>
  DMA_HOST_DEVICE void signal_full(int stage, [[maybe_unused]] int bytes = 0) const {
    with_stage<stages, has_immediate_ids>(stage, [&](auto at) {
      if constexpr (completion == Completion::sync) {
        Sync::template arrive<full_participants, lanes>(full(at), site(filling_side, machine::Point::full, at));
      } else {
        Sync::template arrive_after<completion, full_participants, lanes>(full(at), bytes,
                                                                          site(filling_side, machine::Point::full, at));
      }
    });
  }
  template <Lanes lanes>
  DMA_HOST_DEVICE void signal_empty(int stage) const {
    with_stage<stages, has_immediate_ids>(stage, [&](auto at) {
      Sync::template arrive<empty_participants, lanes>(empty(at), site(using_side, released_point, at));
    });
  }
  template <Lanes lanes>
  DMA_HOST_DEVICE void await_full(const Cursor& cursor) {
    // The branch is outside the lambdas: NVRTC 12.6 compiles both branches of one in a generic lambda.
    if constexpr (BarrierWaitsForCopies<Sync> && !is_store && copies == Completion::mbarrier_complete_tx) {
      with_stage<stages, has_immediate_ids>(cursor.stage, [&](auto at) {
        Sync::template wait_for_copies<full_participants, lanes>(full(at), cursor.parity,
                                                                 site(using_side, machine::Point::full, at));
      });
    } else {
      with_stage<stages, has_immediate_ids>(cursor.stage, [&](auto at) {
        Sync::template wait<full_participants, lanes>(full(at), cursor.parity,
                                                      site(using_side, machine::Point::full, at));
      });
    }
  }
  /// Whether the slot is already full.
  [[nodiscard]] DMA_HOST_DEVICE bool is_full(const Cursor& cursor) const {
    return machine::polls_truly() && Sync::is_complete(full(cursor.stage), cursor.parity);
  }
  /// In the first round every slot is empty, or begins held: its first generation is then that of `open_slots`.
  template <Lanes lanes>
  DMA_HOST_DEVICE void await_empty(const Cursor& cursor) {
    if (slots_begin_held || cursor.wrapped) {
      with_stage<stages, has_immediate_ids>(cursor.stage, [&](auto at) {
        Sync::template wait<empty_participants, lanes>(empty(at), cursor.parity ^ (slots_begin_held ? 0U : 1U),
                                                       site(filling_side, machine::Point::empty, at));
      });
    }
  }

  /// Waits until the compute warps have released the updated tile at the store's cursor.
  template <Lanes lanes>
  DMA_HOST_DEVICE void await_done() {
    const Cursor& cursor = store_cursor();
    with_stage<stages, has_immediate_ids>(cursor.stage, [&](auto at) {
      Sync::template wait<empty_participants, lanes>(empty(at), cursor.parity, site(filling_side, released_point, at));
    });
  }
  /// This warp's part of an updated tile has been stored: its slot has been read.
  DMA_HOST_DEVICE void signal_stored([[maybe_unused]] int stage) const {
    if constexpr (has_stored_points) {
      with_stage<stages, has_immediate_ids>(stage, [&](auto at) {
        Sync::template arrive<stored_participants, Lanes::unknown>(stored(at),
                                                                   site(filling_side, machine::Point::empty, at));
      });
    } else {
      machine::sync_warp();
    }
  }
  /// Waits until all warps have stored the tile that was in the slot of the next load.
  DMA_HOST_DEVICE void await_stored() {
    if constexpr (has_stored_points) {
      const Cursor& cursor = dma_cursor();
      if (cursor.wrapped) {
        with_stage<stages, has_immediate_ids>(cursor.stage, [&](auto at) {
          Sync::template wait<stored_participants, Lanes::converged>(stored(at), cursor.parity ^ 1U,
                                                                     site(filling_side, machine::Point::empty, at));
        });
      }
    }
  }

  /// Named barriers: the side that fills waits for the last use of each slot, so that no arrivals stay pending. Of an
  /// update that was the wait before its store.
  DMA_HOST_DEVICE void drain() {
    if constexpr (Sync::needs_drain && sides_are_apart<Buffering> && !is_update) {
      if constexpr (is_store) {
        if (computes()) {
          drain_slots(compute_cursor(), 0, 1);
        }
      } else {
        if (moves() && has_warp_set()) {
          // The only slot as a constant: by a register the assembler would reserve every named barrier.
          drain_slots(dma_cursor(), stages == 1 ? 0 : group_, groups);
        }
      }
    }
  }

  [[nodiscard]] DMA_HOST_DEVICE bool is_my_turn() const { return is_my_turn(dma_cursor()); }
  [[nodiscard]] DMA_HOST_DEVICE bool is_my_turn(const Cursor& cursor) const {
    return warp_sets == 1 ? has_warp_set() : cursor.stage % warp_sets == warp_set_;
  }
  /// Whether this warp moves tiles at all. @pre It is of the side that does.
  [[nodiscard]] DMA_HOST_DEVICE bool has_warp_set() const { return !Sets::has_idle_warps || warp_set_ != Sets::none; }
  /// How many tiles come before the next one of this warp's group.
  [[nodiscard]] DMA_HOST_DEVICE int tiles_until_mine() const { return tiles_until_mine(dma_cursor()); }
  [[nodiscard]] DMA_HOST_DEVICE int tiles_until_mine(const Cursor& cursor) const {
    return groups == 1 ? 0 : (group_ - cursor.stage % groups + groups) % groups;
  }
  DMA_HOST_DEVICE void skip(int tiles) {
    for (int i = 0; i < tiles; ++i) {
      dma_cursor().advance(stages);
    }
  }

  [[nodiscard]] DMA_HOST_DEVICE const void* storage() const { return storage_; }
  [[nodiscard]] DMA_HOST_DEVICE unsigned char* tile(int stage) const { return storage_->tiles[stage]; }
  [[nodiscard]] DMA_HOST_DEVICE machine::SlotPlace slot_place(int stage) const {
    return machine::slot_place(record_, stage);
  }
  /// This thread's rank in its group, and among the threads that move a tile together.
  [[nodiscard]] DMA_HOST_DEVICE int rank() const { return machine::thread_rank() - first_thread_; }
  [[nodiscard]] DMA_HOST_DEVICE int moving_rank() const {
    // The rest of a division would tell the compiler the range, for which it keeps 45 registers of addresses more.
    return Sets::parts == 1 ? rank() : rank() - warp_set_ / groups * moving_threads;
  }
  [[nodiscard]] DMA_HOST_DEVICE Cursor& dma_cursor() { return cursors_[0]; }
  [[nodiscard]] DMA_HOST_DEVICE const Cursor& dma_cursor() const { return cursors_[0]; }
  [[nodiscard]] DMA_HOST_DEVICE Cursor& compute_cursor() { return cursors_[compute_side]; }
  /// Of an update's DMA warps: the tile that they store next.
  [[nodiscard]] DMA_HOST_DEVICE Cursor& store_cursor() { return cursors_[compute_side + 1]; }
  [[nodiscard]] DMA_HOST_DEVICE const Cursor& store_cursor() const { return cursors_[compute_side + 1]; }

  /// The mbarrier that counts bulk copies into a slot, null for a barrier that is not in memory.
  [[nodiscard]] DMA_HOST_DEVICE void* full_state(int stage) const { return storage_->full(stage); }
  /// Expects `bytes` of bulk copies in the current phase, before the arrival. @pre One lane of a warp calls it.
  DMA_HOST_DEVICE void expect_bytes(int stage, int bytes) const {
    Sync::expect(full(stage), bytes, site(filling_side, machine::Point::full, stage));
  }

 private:
  DMA_HOST_DEVICE void expect_launch_and_storage() const {
    DMA_EXPECTS(machine::cta_threads() == Layout::threads,
                "dma::DmaPipeline: the CTA's number of threads is not that of the pipeline's WarpLayout; launch "
                "Layout::threads",
                "threads", machine::cta_threads(), "Layout::threads", Layout::threads);
    DMA_EXPECTS(machine::cta_is_linear(),
                "dma::DmaPipeline: roles are derived from threadIdx.x and the CTA has threads along y or z; launch "
                "Layout::threads threads along x");
    DMA_EXPECTS(machine::is_shared(storage_),
                "dma::DmaPipeline: its Storage is not in shared memory; declare it __shared__, or as a member of the "
                "kernel body's Shared",
                "address", storage_);
    DMA_EXPECTS(is_aligned(storage_),
                "dma::DmaPipeline: its Storage is not aligned as its type asks; declare it __shared__, or align the "
                "bytes that hold it to alignof(Pipe::Storage)",
                "address", storage_, "alignment", alignof(Storage));
  }
  /// The groups of this thread, where the layout has several or warps have one role each.
  DMA_HOST_DEVICE void take_role() {
    if constexpr (sides_are_apart<Buffering> || Layout::compute_groups > 1) {
      const int warp = machine::uniform_warp_rank();
      compute_group_ = Layout::compute_group_of_warp(warp);
      if constexpr (sides_are_apart<Buffering>) {
        group_ = filling_group_of(warp);
        warp_set_ = Sets::of(group_, warp);
        first_thread_ = moves() ? GroupsOf<Buffering>::first_warp(group_) * warp_size : 0;
      }
    }
  }
  /// Where barriers are in memory: one thread opens them, and the CTA, or the cluster, waits until it has.
  DMA_HOST_DEVICE void open_barriers(const Cta& cta) {
    if constexpr (!stdlib::is_empty_v<State>) {
      if (cta.thread() == 0) {
        for (int stage = 0; stage < stages; ++stage) {
          Sync::template open<full_participants, is_store ? Completion::sync : copies>(full(stage));
          Sync::template open<empty_participants, Completion::sync>(empty(stage));
          if constexpr (has_stored_points) {
            Sync::template open<stored_participants, Completion::sync>(stored(stage));
          }
        }
        if (copies == Completion::mbarrier_complete_tx || copies == Completion::bulk_group) {
          machine::fence_async_proxy();
        }
      }
      if constexpr (scope_of<Sync> == Scope::cluster) {
        machine::sync_cluster();
      } else {
        cta.sync();
      }
    }
  }
  /// Through a volatile: a compiler may take the alignment of what a reference is bound to for granted.
  [[nodiscard]] DMA_HOST_DEVICE static bool is_aligned(const Storage* storage) {
    const Storage* const volatile address = storage;
    return reinterpret_cast<stdlib::uintptr_t>(address) % alignof(Storage) == 0;
  }

  [[nodiscard]] DMA_HOST_DEVICE Point full(int stage) const {
    return {storage_->full(stage), Sync::ids * (first_id + points_a_stage * stage)};
  }
  [[nodiscard]] DMA_HOST_DEVICE Point empty(int stage) const {
    return {storage_->empty(stage), Sync::ids * (first_id + points_a_stage * stage + 1)};
  }
  [[nodiscard]] DMA_HOST_DEVICE Point stored(int stage) const {
    return {storage_->stored(stage), Sync::ids * (first_id + points_a_stage * stage + 2)};
  }
  [[nodiscard]] DMA_HOST_DEVICE machine::Site site(machine::Who who, machine::Point point, int stage) const {
    return {who, point, stage, machine::type_name<typename T::Owner>(), storage_};
  }

  static constexpr machine::Who filling_side = is_handed_over<Buffering> ? machine::Who::producers
                                               : is_store                ? machine::Who::compute_warps
                                                                         : machine::Who::dma_warps;
  static constexpr machine::Who using_side = is_handed_over<Buffering> ? machine::Who::consumers
                                             : is_store                ? machine::Who::dma_warps
                                                                       : machine::Who::compute_warps;
  /// What a slot is when the side that uses it has released it.
  static constexpr machine::Point released_point = is_update ? machine::Point::done : machine::Point::empty;

  /// Which of the pipeline's groups a warp belongs to; another number where it belongs to none.
  [[nodiscard]] DMA_HOST_DEVICE static int filling_group_of(int warp) {
    if constexpr (is_handed_over<Buffering>) {
      const int rank = warp - GroupsOf<Buffering>::first_warp(0);
      return rank >= 0 && rank < GroupsOf<Buffering>::warps ? 0 : -1;
    } else {
      return Layout::group_of_warp(warp) - Buffering::first_group;
    }
  }

  /// Waits for the last generation of the slots `first`, `first + step`, ... that were released at least once.
  DMA_HOST_DEVICE void drain_slots(const Cursor& cursor, int first, int step) const {
    machine::sync_warp();
    for (int stage = first; stage < stages; stage += step) {
      if (slots_begin_held || cursor.wrapped || stage < cursor.stage) {
        const unsigned parity = (stage < cursor.stage) != slots_begin_held ? cursor.parity : cursor.parity ^ 1U;
        with_stage<stages, has_immediate_ids>(stage, [&](auto at) {
          Sync::template wait<empty_participants, Lanes::converged>(empty(at), parity,
                                                                    site(filling_side, machine::Point::empty, at));
        });
      }
    }
  }

  /// A thread with one role has one cursor. Where warps have both roles there are two, since loading runs ahead of
  /// computing. The DMA warps of an update have one more, since loading runs ahead of storing.
  static constexpr int compute_side = sides_are_apart<Buffering> ? 0 : 1;

  Storage* storage_;
  int group_ = 0;     ///< of the pipeline's groups; out of their range in a thread of another role
  int warp_set_ = 0;  ///< of `warp_sets`, in a thread of the pipeline's groups
  int first_thread_ = 0;
  int compute_group_ = 0;
  machine::PipelineRecord record_;
  Cursor cursors_[compute_side + 1 + is_update] = {};
};

}  // namespace dma::inline v0_1::detail
