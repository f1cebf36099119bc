#pragma once

#include <dma/buffering/buffering.hpp>
#include <dma/buffering/used_by.hpp>
#include <dma/config.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/pipeline/cursor.hpp>
#include <dma/pipeline/observer.hpp>
#include <dma/pipeline/slot_barriers.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/standard.hpp>
#include <dma/sync/barrier.hpp>

namespace dma::inline v0_1::detail {

/// The slots of a pipeline, their barriers, and this thread's position among them. It decides which warps fill and
/// which use a slot, and does not depend on how tiles move.
///
/// @param T  as `PipelineTypes`; the name of its `Owner` stands in messages
template <class T>
class SlotRing : public SlotBarriers<T> {
  using Slots = SlotBarriers<T>;
  using Slots::drain_slots;
  using Slots::site;
  using Slots::storage_;
  using typename Slots::Buffering;
  using typename Slots::Pattern;
  using typename Slots::Sets;
  using typename Slots::State;
  using typename Slots::Sync;
  static constexpr int no_slot = -1;

 public:
  using Slots::barrier_ids;
  using Slots::first_id;
  using Slots::groups;
  using Slots::is_store;
  using Slots::is_update;
  using Slots::moving_threads;
  using Slots::stages;
  using Slots::warp_sets;
  using typename Slots::Layout;
  using typename Slots::Storage;
  using typename Slots::Users;
  using Observer = detail::Observer<Pattern, stages>;

  /// Collective over the CTA.
  DMA_HOST_DEVICE SlotRing(const Cta& cta, Storage& storage, machine::SourceLocation caller) : Slots(storage) {
    Observer::called_from(caller);
    Observer::works_on(machine::Call::construction, site(machine::Who::threads, machine::Point::barrier, no_slot));
    expect_launch_and_storage();
    take_role();
    record_ = machine::record_of(site(machine::Who::threads, machine::Point::barrier, no_slot), stages);
    Observer::opened(site(machine::Who::threads, machine::Point::opening, no_slot), Slots::slot_bytes, record_,
                     !stdlib::is_empty_v<State>, first_id, barrier_ids);
    machine::call_on_device<BarrierMembers<Sync, Slots::full_participants>>(Slots::full(0));
    Slots::open_barriers(cta);
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
    Slots::close_barriers();
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
  /// Through a volatile: a compiler may take the alignment of what a reference is bound to for granted.
  [[nodiscard]] DMA_HOST_DEVICE static bool is_aligned(const Storage* storage) {
    const Storage* const volatile address = storage;
    return reinterpret_cast<stdlib::uintptr_t>(address) % alignof(Storage) == 0;
  }

  /// Which of the pipeline's groups a warp belongs to; another number where it belongs to none.
  [[nodiscard]] DMA_HOST_DEVICE static int filling_group_of(int warp) {
    if constexpr (is_handed_over<Buffering>) {
      const int rank = warp - GroupsOf<Buffering>::first_warp(0);
      return rank >= 0 && rank < GroupsOf<Buffering>::warps ? 0 : -1;
    } else {
      return Layout::group_of_warp(warp) - Buffering::first_group;
    }
  }

  /// A thread with one role has one cursor. Where warps have both roles there are two, since loading runs ahead of
  /// computing. The DMA warps of an update have one more, since loading runs ahead of storing.
  static constexpr int compute_side = sides_are_apart<Buffering> ? 0 : 1;

  int group_ = 0;     ///< of the pipeline's groups; out of their range in a thread of another role
  int warp_set_ = 0;  ///< of `warp_sets`, in a thread of the pipeline's groups
  int first_thread_ = 0;
  int compute_group_ = 0;
  machine::PipelineRecord record_;
  Cursor cursors_[compute_side + 1 + is_update] = {};
};

}  // namespace dma::inline v0_1::detail
