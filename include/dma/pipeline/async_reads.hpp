#pragma once

#include <dma/config.hpp>
#include <dma/machine/machine.hpp>
#include <dma/machine/site.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/pipeline/slot.hpp>
#include <dma/standard.hpp>
#include <dma/sync/barrier.hpp>

namespace dma::inline v0_1 {

/// Reads of slots by tensor cores, which go on after the instruction was issued (wgmma.mma_async). They are in groups:
/// `commit` closes a warp's group, `wait<Pending>` waits until at most `Pending` of the warp's groups are in flight. A
/// slot is released when a wait has covered the groups that read it.
///
///     dma::AsyncReads reads;
///     auto held = compute.wait();
///     multiply(held);
///     reads.commit(held);
///     for (int t = 1; t < tiles; ++t) {
///       auto slot = compute.wait();
///       multiply(slot);            // while the tensor cores still read the slot before
///       reads.commit(slot);
///       reads.wait<1>();           // all groups but the newest are over
///       held = std::move(slot);    // releases the slot before; reads.release(held) before it would leave a fence out
///     }
///     reads.wait<0>();
///
/// A pipeline of one stage deadlocks with this loop: its next tile is loaded when the only slot is released.
///
/// On a host `launch` reports a slot that is released, a pipeline that ends and a thread that ends while reads are in
/// flight; `prove` also reports what overwrites a tile. The checked build reports released slots.
///
/// Cost    an instruction for each call, no register
/// Source  PTX ISA, wgmma.commit_group, wgmma.wait_group
class AsyncReads {
 public:
  /// To be called when a slot was waited for, before products read it: what threads wrote into the tile precedes the
  /// reads. A proxy fence for engines whose threads or cp.async write it (`RegisterCopy`, `AsyncCopy`, padding) and
  /// where the kernel does; nothing for a tile that bulk copies alone write.
  template <class Pipeline>
  DMA_HOST_DEVICE void begin(const Slot<Pipeline>&,
                             machine::SourceLocation caller = machine::SourceLocation::here()) const {
    constexpr bool is_padded_by_threads =
        PaddedPattern<typename Pipeline::Pattern> && stdlib::is_pointer_v<typename Pipeline::Source>;
    if constexpr (detail::is_stored<typename Pipeline::Pattern> ||
                  Pipeline::completion != Completion::mbarrier_complete_tx || is_padded_by_threads) {
      begin(caller);
    }
  }

  /// The same for the kernel's own shared memory: a proxy fence. Each thread that wrote there calls it, before the sync
  /// behind which products read.
  DMA_HOST_DEVICE void begin(machine::SourceLocation caller = machine::SourceLocation::here()) const {
    machine::called_from(caller);
    machine::fence_async_proxy();
  }

  /// Closes the group of the products since the last call; they read these slots. Collective over the warp.
  DMA_HOST_DEVICE void commit(machine::SourceLocation caller = machine::SourceLocation::here()) const {
    machine::called_from(caller);
    machine::commit_async_reads();
  }
  template <class Pipeline>
  DMA_HOST_DEVICE void commit(const Slot<Pipeline>& slot,
                              machine::SourceLocation caller = machine::SourceLocation::here()) const {
    begin_reads(slot, caller);
    commit(caller);
  }
  template <class PipelineOfA, class PipelineOfB>
  DMA_HOST_DEVICE void commit(const Slot<PipelineOfA>& a, const Slot<PipelineOfB>& b,
                              machine::SourceLocation caller = machine::SourceLocation::here()) const {
    begin_reads(a, caller);
    begin_reads(b, caller);
    commit(caller);
  }

  /// Waits until at most `Pending` of this warp's groups are in flight: the older ones have read their slots and
  /// written their sums. Collective over the warp.
  template <int Pending>
  DMA_HOST_DEVICE void wait(machine::SourceLocation caller = machine::SourceLocation::here()) const {
    static_assert(Pending >= 0 && Pending < 8,
                  "dma::AsyncReads: wait<Pending>() leaves 0 to 7 groups in flight; name one of these, 0 to wait for "
                  "all");
    machine::called_from(caller);
    machine::wait_for_async_reads<Pending>();
  }
  /// The same, behind which these sums (`MatrixSums`) may be read.
  template <int Pending, class Sums>
  DMA_HOST_DEVICE void wait(Sums& sums, machine::SourceLocation caller = machine::SourceLocation::here()) const {
    wait<Pending>(caller);
    sums.complete();
  }

  /// Releases a slot that tensor cores alone have read, once a wait has covered their reads. These are of the async
  /// proxy, as the next bulk copy is, so that no proxy fence is needed between them. `prove` reports a slot that a
  /// thread has read.
  ///
  /// Cost    `slot.release()` without the proxy fence, for which the warp would wait
  template <class Pipeline>
  DMA_HOST_DEVICE void release(Slot<Pipeline>& slot,
                               machine::SourceLocation caller = machine::SourceLocation::here()) const {
    static_assert(
        !detail::is_stored<typename Pipeline::Pattern> && Pipeline::completion == Completion::mbarrier_complete_tx,
        "dma::AsyncReads: release(slot) is for tiles that bulk copies alone write; call slot.release()");
    slot.template release_as<false>(caller);
  }

  /// Releases a slot that products into tensor memory alone read: the arrival that releases it comes when this warp's
  /// products so far are complete (tcgen05.commit). Collective over the warp that has started them.
  template <class Pipeline>
  DMA_HOST_DEVICE void release_when_read(Slot<Pipeline>& slot,
                                         machine::SourceLocation caller = machine::SourceLocation::here()) const {
    static_assert(
        !detail::is_stored<typename Pipeline::Pattern> && Pipeline::completion == Completion::mbarrier_complete_tx,
        "dma::AsyncReads: release_when_read(slot) is for tiles that bulk copies alone write; call slot.release()");
    slot.release_when_read(caller);
  }

 private:
  template <class Pipeline>
  DMA_HOST_DEVICE static void begin_reads(const Slot<Pipeline>& slot, machine::SourceLocation caller) {
    machine::called_from(caller);
    slot.begin_async_reads();
  }
};

}  // namespace dma::inline v0_1
