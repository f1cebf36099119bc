#pragma once

#include <dma/config.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/site.hpp>
#include <dma/pipeline/slot.hpp>
#include <dma/roles/role.hpp>
#include <dma/roles/warp_layout.hpp>
#include <dma/standard.hpp>
#include <dma/unrolled.hpp>

namespace dma::inline v0_1 {

namespace detail {
struct PhaseDoor;  // in dma/cudadma/phase_door.hpp
}

/// A compute warp's handle of a pipeline: it waits for tiles, and nothing else. *The compute warps* are below those
/// that use the pipeline: all of the CTA, or one group (`UsedBy`).
template <class Pipeline>
class ComputeHandle {
  using Layout = typename Pipeline::Layout;
  using Users = typename Pipeline::Users;

 public:
  using Pattern = typename Pipeline::Pattern;
  using Element = typename Pattern::Element;

  DMA_HOST_DEVICE explicit ComputeHandle(Pipeline& pipeline) : pipeline_(&pipeline) {}

  /// Waits for the next slot and acquires it: a full one to read or, in a pipeline that stores, an empty one to fill.
  ///
  /// Collective over the compute warps: each calls it for every tile, in order. The slot's tile is visible to all of
  /// their threads. The slot is released at the end of the returned object's scope, or by its `release`.
  ///
  /// Cost    a wait for the slot's barrier; the release is an arrival a warp
  ///
  /// @param pattern  what the DMA side moves: the full tile, or a shorter one
  /// @pre The thread is in a compute warp that uses the pipeline. Of one pipeline at most `stages` slots are held.
  [[nodiscard]] DMA_HOST_DEVICE Slot<Pipeline> wait(
      const Pattern& pattern = {}, machine::SourceLocation caller = machine::SourceLocation::here()) const {
    Observer::called_from(caller);
    return Slot<Pipeline>(*pipeline_, pipeline_->acquire(pattern), pattern, caller.of_scope());
  }

  /// This thread's rank among the compute threads that use the pipeline, and their number.
  [[nodiscard]] DMA_HOST_DEVICE int rank() const {
    const int rank = machine::thread_rank() - Users::first_thread;
    machine::assume(rank >= 0 && rank < size());
    return rank;
  }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int size() { return Users::threads; }

  /// Synchronizes the compute warps, and no others. Each then sees what the others wrote, for example into held slots.
  /// Collective over the compute warps; the handles of all pipelines of a kernel use the same barrier.
  ///
  /// Cost    named barrier 1, which no pipeline uses; that of the group in a pipeline that one group uses
  DMA_HOST_DEVICE void sync(machine::SourceLocation caller = machine::SourceLocation::here()) const {
    sync_at<Users::are_one_group ? detail::group_barrier<Layout>(Users::group) : detail::compute_barrier, size()>(
        caller);
  }

  /// The compute group of this thread's warp, and this thread's rank in it. The group is a value that the compiler
  /// knows to be the same in all lanes, so that a branch on it is uniform.
  [[nodiscard]] DMA_HOST_DEVICE int group() const {
    if constexpr (Users::are_one_group || Layout::compute_groups == 1) {
      return Users::group;
    } else {
      return pipeline_->ring_.compute_group();
    }
  }
  [[nodiscard]] DMA_HOST_DEVICE int group_rank() const {
    return machine::thread_rank() - Layout::compute_group_first_warp(group()) * warp_size;
  }
  /// Synchronizes the warps of this warp's compute group, and no others. Collective over the group.
  ///
  /// Cost    a named barrier of the group, which no pipeline uses
  DMA_HOST_DEVICE void sync_group(machine::SourceLocation caller = machine::SourceLocation::here()) const {
    unrolled<Layout::compute_groups>([&, mine = group()](auto candidate) {
      if (mine == candidate) {
        constexpr int group = candidate.value;
        sync_at<detail::group_barrier<Layout>(group), Layout::compute_group_warps(group) * warp_size>(caller);
      }
    });
  }

  /// The explicit protocol (SC'11, section 3.1 and figure 6), for waits placed by hand: once a tile, wait_until_full,
  /// which returns the tile's elements, then signal_empty. `wait` does these two in a scope. A pipeline that stores has
  /// wait_until_empty and signal_full. The paper's first start_async_dma is `cudadma::open_slots`; without it slots
  /// begin empty.
  DMA_HOST_DEVICE Element* wait_until_full(machine::SourceLocation caller = machine::SourceLocation::here()) const
      requires(!Pipeline::is_store) {
    return wait_by_hand(caller);
  }
  DMA_HOST_DEVICE Element* wait_until_empty(machine::SourceLocation caller = machine::SourceLocation::here()) const
      requires(Pipeline::is_store) {
    return wait_by_hand(caller);
  }
  DMA_HOST_DEVICE void signal_empty(machine::SourceLocation caller = machine::SourceLocation::here()) const
      requires(!Pipeline::is_store) {
    Observer::called_from(caller);
    pipeline_->release_next();
  }
  DMA_HOST_DEVICE void signal_full(machine::SourceLocation caller = machine::SourceLocation::here()) const
      requires(Pipeline::is_store) {
    Observer::called_from(caller);
    pipeline_->release_next();
  }

  template <class... Arguments>
  DMA_HOST_DEVICE void load(Arguments&&...) const {
    static_assert(detail::always_false<Arguments..., Pipeline>,
                  "dma::ComputeHandle: compute warps wait for tiles and never load them; "
                  "call load() on the handle that as_dma() gives the DMA warps");
  }

 private:
  friend struct detail::PhaseDoor;

  using Observer = typename Pipeline::Observer;

  template <int Id, int Threads>
  DMA_HOST_DEVICE void sync_at(machine::SourceLocation caller) const {
    Observer::called_from(caller);
    pipeline_->ring_.works_on(machine::Call::compute_sync);
    machine::sync_warp();  // The barrier is .aligned, and a kernel's lanes may be apart.
    machine::barrier_sync(Id, Threads,
                          {.who = machine::Who::compute_warps,
                           .point = machine::Point::each_other,
                           .pipeline = machine::type_name<Pipeline>(),
                           .storage = pipeline_->ring_.storage()});
  }
  DMA_HOST_DEVICE Element* wait_by_hand(machine::SourceLocation caller) const {
    Observer::called_from(caller);
    auto* const elements = reinterpret_cast<Element*>(pipeline_->wait_for_slot());
    Observer::exposes(elements);
    return elements;
  }

  Pipeline* pipeline_;
};

}  // namespace dma::inline v0_1
