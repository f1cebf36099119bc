#pragma once

#include <dma/standard.hpp>

/// What a GPU's thread does that other threads can observe: a jitter build delays these operations (DMA_JITTER), a
/// logging build records them (DMA_DETAIL_LOG).
namespace dma::inline v0_1::machine {

enum class Step : unsigned char {
  sync_cta,          ///< waits for the CTA
  sync_warp,         ///< waits for the warp
  shuffle,           ///< takes a value of another lane
  barrier_sync,      ///< arrives at named barrier `barrier` of `count` threads and waits
  barrier_arrive,    ///< arrives at it
  phase_init,        ///< opens a phase barrier of `count` arrivals
  phase_invalidate,  ///< closes it
  phase_arrive,      ///< arrives, and expects `count` bytes
  phase_expect,      ///< expects `count` bytes
  phase_arrive_when_copied,
  phase_wait,  ///< for parity `count`
  fence_async_proxy,
  copy_async,  ///< a cp.async of `count` bytes
  wait_for_async_copies,
  copy_to_shared,  ///< a bulk copy of `count` bytes that completes on `barrier`
  copy_to_global,  ///< a bulk copy of `count` bytes
  commit_group,
  wait_for_reads,   ///< until at most `count` groups read shared memory
  wait_for_groups,  ///< until the groups are complete
  commit_reads,     ///< closes a group of tensor cores' reads
  await_reads,      ///< until at most `count` groups of them are in flight
  sync_cluster,     ///< waits for the cluster
  elected,          ///< `count` is 1 in the lane that the hardware chose, 0 in the others
  grid              ///< counts in global memory, starts the next grid or waits for the last one
};

/// One entry of a thread's log. Offsets are those in the CTA's dynamic shared memory.
struct LoggedStep {
  static constexpr int none = -1;

  Step step;
  int barrier = none;  ///< a named barrier's number, a phase barrier's offset
  int place = none;    ///< offset of a copy's bytes
  int count = 0;
  int rank = none;  ///< of the CTA in the cluster whose barrier and bytes they are; none: the thread's own
};

}  // namespace dma::v0_1::machine
