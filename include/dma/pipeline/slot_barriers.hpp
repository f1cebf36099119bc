#pragma once

#include <dma/buffering/buffering.hpp>
#include <dma/buffering/used_by.hpp>
#include <dma/config.hpp>
#include <dma/default_policies.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/scope.hpp>
#include <dma/patterns/store.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/pipeline/cursor.hpp>
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

/// Of two positive numbers.
[[nodiscard]] constexpr int greatest_common_divisor(int a, int b) noexcept {
  while (b != 0) {
    const int rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// Which warps move a tile together, and how many such sets of warps take turns.
///
/// The warps of a DMA group move a tile together, and groups take turns. To load a tile of an `IndexedPattern` they
/// first read its list, and wait for it. So there the warps of a group take turns as well: the group has as many parts
/// as divide both its warps and its stages, and each part loads tiles of its own. The lists of as many tiles are then
/// read at the same time.
///
/// A group has one part where its warps wait for their copies. Through registers a tile moved by one warp takes up to
/// three times the registers a thread, so that fewer CTAs fit: 3 CTAs an SM moved 3690 GB/s, one with parts 3140
/// (H200).
///
/// A warp without a piece of a full tile takes no part in loads: no barrier counts it, since waits and arrivals of its
/// own would take as many instructions as those of a warp that moves the tile.
///
/// @param StagesOfBuffering  as the buffering chooses them. An automatic number becomes one that more warps divide, up
///                           to a third away from it
template <class Buffering, class Pattern, Completion copies, bool copies_are_asynchronous, int StagesOfBuffering>
class WarpSets {
  using Layout = typename Buffering::Layout;
  using Groups = GroupsOf<Buffering>;

  static constexpr bool are_loads = !is_store<Pattern> && !is_update<Pattern> && Layout::is_specialized;
  static constexpr bool takes_parts = IndexedPattern<Pattern> && are_loads && copies_are_asynchronous;
  /// Whether the pieces of a tile are known to be those of one run, in the accesses that an engine has by default.
  static constexpr bool has_one_run = are_loads && !is_handed_over<Buffering> && !IndexedPattern<Pattern> &&
                                      Pattern::max_run_count == 1 && !HasCustomLoad<Pattern>;
  static constexpr int piece_bytes = Pattern::run_alignment < 16 ? Pattern::run_alignment : 16;

 public:
  static constexpr int stages = [] {
    for (int divisor = takes_parts && HasAutomaticStages<Buffering> ? Groups::warps : 1; divisor > 1; --divisor) {
      const int multiple = Buffering::groups * divisor;
      const int rounded = StagesOfBuffering < multiple ? multiple : StagesOfBuffering - StagesOfBuffering % multiple;
      const int change = rounded < StagesOfBuffering ? StagesOfBuffering - rounded : rounded - StagesOfBuffering;
      if (Groups::warps % divisor == 0 && 3 * change <= StagesOfBuffering) {
        return rounded;
      }
    }
    return StagesOfBuffering;
  }();
  static constexpr int parts = takes_parts ? greatest_common_divisor(stages / Buffering::groups, Groups::warps) : 1;
  static constexpr int count = Buffering::groups * parts;
  static constexpr int warps = [] {  ///< that move a tile together
    constexpr int all = Groups::warps / parts;
    if constexpr (has_one_run) {
      constexpr int pieces =
          copies == Completion::mbarrier_complete_tx ? 1 : (Pattern::tile_bytes + piece_bytes - 1) / piece_bytes;
      constexpr int needed = (pieces + warp_size - 1) / warp_size;
      return needed < all ? needed : all;
    } else {
      return all;
    }
  }();
  static constexpr bool has_idle_warps = warps * parts < Groups::warps;

  static constexpr int none = -1;  ///< of a warp that moves nothing

  /// The set of a warp. Stage s is the turn of set s mod `count`. @pre `warp` is in the buffering's
  /// `group`-th DMA group.
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int of(int group, [[maybe_unused]] int warp) noexcept {
    if constexpr (has_idle_warps) {
      return warp - Groups::first_warp(group) < warps ? group : none;
    } else if constexpr (parts == 1) {
      return group;
    } else {
      return (warp - Groups::first_warp(group)) / warps * Buffering::groups + group;
    }
  }
};

/// A barrier at which products into tensor memory arrive when they are complete.
template <class B>
concept ProductsArrive = requires(BarrierPoint<typename B::State> point, const machine::Site& site) {
  B::arrive_when_multiplied(point, site);
};

/// The slots of a pipeline in shared memory and their barriers: how many there are, and who arrives and who waits at
/// them. Where a thread stands among the slots, `SlotRing` knows.
///
/// Each slot has two synchronization points. The side that fills it arrives at *full* and waits for *empty*; the side
/// that uses it waits for *full* and arrives at *empty*. A layout's DMA groups divide the 15 named barriers evenly, and
/// a pipeline uses those of its groups: two pipelines of different groups never use the same one. Two pipelines of the
/// same group would; the host and the checked build report it.
///
/// @param T  as `PipelineTypes`; the name of its `Owner` stands in messages
template <class T>
class SlotBarriers {
 protected:
  using Pattern = typename T::Pattern;
  using Buffering = typename T::Buffering;
  using Sync = typename T::Sync;
  using State = typename Sync::State;
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

 protected:
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

 private:
  using Point = BarrierPoint<State>;

  struct Tiles {
    alignas(slot_alignment) unsigned char tiles[stages][slot_bytes];
  };

 public:
  /// The pipeline's shared memory. Trivial: declare it `__shared__`, or as a member of a kernel body's `Shared`.
  struct Storage : Tiles, BarrierStates<State, stages>, StoredStates<State, stages, has_stored_points> {};

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
  /// When this warp's products into tensor memory are complete.
  DMA_HOST_DEVICE void signal_empty_when_multiplied(int stage) const {
    static_assert(ProductsArrive<Sync>,
                  "dma::AsyncReads: release_when_read(slot) needs a barrier at which products arrive; use "
                  "dma::CudaBarrier");
    with_stage<stages, has_immediate_ids>(
        stage, [&](auto at) { Sync::arrive_when_multiplied(empty(at), site(using_side, released_point, at)); });
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

  /// Waits until the compute warps have released the updated tile that is stored next.
  template <Lanes lanes>
  DMA_HOST_DEVICE void await_done(const Cursor& cursor) {
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
  DMA_HOST_DEVICE void await_stored([[maybe_unused]] const Cursor& cursor) {
    if constexpr (has_stored_points) {
      if (cursor.wrapped) {
        with_stage<stages, has_immediate_ids>(cursor.stage, [&](auto at) {
          Sync::template wait<stored_participants, Lanes::converged>(stored(at), cursor.parity ^ 1U,
                                                                     site(filling_side, machine::Point::empty, at));
        });
      }
    }
  }

  /// The mbarrier that counts bulk copies into a slot, null for a barrier that is not in memory.
  [[nodiscard]] DMA_HOST_DEVICE void* full_state(int stage) const { return storage_->full(stage); }
  /// Expects `bytes` of bulk copies in the current phase, before the arrival. @pre One lane of a warp calls it.
  DMA_HOST_DEVICE void expect_bytes(int stage, int bytes) const {
    Sync::expect(full(stage), bytes, site(filling_side, machine::Point::full, stage));
  }

 protected:
  DMA_HOST_DEVICE explicit SlotBarriers(Storage& storage) : storage_(&storage) {}

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
        if (copies == Completion::mbarrier_complete_tx) {
          machine::fence_async_proxy();  // Bulk loads signal the barriers; bulk stores do not.
        }
      }
      if constexpr (scope_of<Sync> == Scope::cluster) {
        machine::sync_cluster();
      } else {
        machine::sync_cta();  // at the line of the construction; that of the last of several pipelines would do
      }
    }
  }
  /// One thread invalidates them when all have come here, and the CTA waits until it has: their storage is free.
  DMA_HOST_DEVICE void close_barriers() {
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
  /// Waits for the last generation of the slots `first`, `first + step`, ... that were released at least once.
  DMA_HOST_DEVICE void drain_slots(const Cursor& cursor, int first, int step) const {
    machine::sync_warp();  // An engine of one's own may leave the lanes apart, and the waits are .aligned.
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

  Storage* const storage_;

 private:
  static constexpr machine::Who filling_side = is_handed_over<Buffering> ? machine::Who::producers
                                               : is_store                ? machine::Who::compute_warps
                                                                         : machine::Who::dma_warps;
  static constexpr machine::Who using_side = is_handed_over<Buffering> ? machine::Who::consumers
                                             : is_store                ? machine::Who::dma_warps
                                                                       : machine::Who::compute_warps;
  /// What a slot is when the side that uses it has released it.
  static constexpr machine::Point released_point = is_update ? machine::Point::done : machine::Point::empty;
};

}  // namespace dma::inline v0_1::detail
