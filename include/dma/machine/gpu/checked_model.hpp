#pragma once

#include <dma/config.hpp>
#include <dma/machine/checked/cta.hpp>
#include <dma/machine/checked/lanes.hpp>
#include <dma/machine/checked/message.hpp>
#include <dma/machine/checked/named_barrier.hpp>
#include <dma/machine/checked/slots.hpp>
#include <dma/machine/checked/watch.hpp>
#include <dma/machine/gpu/ptx/warp.hpp>
#include <dma/machine/records.hpp>
#include <dma/machine/site.hpp>
#include <dma/standard.hpp>

/// The contracts of a checked build, which keeps what it has to know of them in shared memory. `unchecked_model.hpp`
/// has the same names. `dma/machine/machine.hpp` documents those that are in its list.
#if DMA_CHECKED && defined(__CUDA_ARCH__)

namespace dma::inline v0_1::machine::gpu_model {

inline constexpr bool checks_contracts = true;

DMA_DEVICE void claim_barriers(int first, int count) {
  if (threadIdx.x % 32 == 0) {
    const unsigned wanted = ((1U << count) - 1) << first;
    DMA_EXPECTS((warp_record().claimed & wanted) == 0,
                "dma::DmaPipeline: two pipelines of a kernel use the same named barriers at the same time, because "
                "they use the same DMA group; give each its own (FirstGroup), or use dma::CudaBarrier");
    warp_record().claimed = warp_record().claimed | wanted;
  }
}
DMA_DEVICE void release_barriers(int first, int count) {
  if (threadIdx.x % 32 == 0) {
    const unsigned given_up = ((1U << count) - 1) << first;
    warp_record().claimed = warp_record().claimed & ~given_up;
  }
}
DMA_DEVICE void claim_storage(const PipelineRecord& pipeline, const void* storage, bool keeps_barriers) {
  open_storage(pipeline, storage, keeps_barriers);
}
DMA_DEVICE void free_storage(const PipelineRecord& pipeline) { close_storage(pipeline); }
DMA_DEVICE void name_kernel(const char* name) {
  forget_earlier_launch();
  if (threadIdx.x % 32 == 0) {
    cta_record().kernel = {cta_key(), name};
  }
}
DMA_DEVICE void enters(Call call, const Site& site) {
  note_call(call, site);
  expect_converged(call);
}
[[nodiscard]] DMA_DEVICE PipelineRecord record_of(const Site& pipeline, int slots) {
  return PipelineRecord(pipeline, slots);
}
DMA_DEVICE void enters_again(Call call, const Site& site, const PipelineRecord& pipeline) {
  pipeline.store(call, site);
  expect_converged(call);
}
[[nodiscard]] DMA_DEVICE SlotPlace slot_place(const PipelineRecord& pipeline, int stage) {
  return pipeline.place(stage);
}
DMA_DEVICE void slot_filled(const void*, int elements, stdlib::uint64_t, SlotPlace place) {
  fill_slot(static_cast<unsigned>(elements), place);
}
DMA_DEVICE void slot_used(const void*, int elements, stdlib::uint64_t, SlotPlace place) {
  expect_filled(static_cast<unsigned>(elements), place);
}
DMA_DEVICE void slot_emptied(SlotPlace place) { empty_slot(place); }
DMA_DEVICE void ends(const PipelineRecord& pipeline, bool takes_part, int filled, int used) {
  expect_same_end(pipeline.words(), takes_part, static_cast<unsigned>(filled), static_cast<unsigned>(used));
}
DMA_DEVICE void mark_reads(const ReadMark& mark) { mark.group = read_groups().committed; }
DMA_DEVICE void expect_reads_over(const ReadMark& mark) {
  if (mark.group != ReadMark::no_group) {
    expect_read(mark.group);
  }
}
DMA_DEVICE constexpr void expect_row(long long row, int position, long long rows) {
  if (row < 0 || row >= rows) {
    refuse_row(row, position, rows);
  }
}

/// Before a warp waits at a named barrier. The hardware's wait has no limit: this one has.
DMA_DEVICE void count_and_wait(int id, int threads, const Site& site) {
  await_count(id, threads / 32, count_arrival(id, threads / 32, site), site);
  ptx::sync_warp();
}
/// Before a warp arrives at a named barrier without a wait.
DMA_DEVICE void count_only(int id, int threads, const Site& site) {
  static_cast<void>(count_arrival(id, threads / 32, site));
  ptx::sync_warp();
}
/// Before a warp waits for its CTA: its lanes meet first.
DMA_DEVICE void expect_whole_warp() {
  if (__activemask() != whole_warp) {
    note_call(Call::cta_sync, {.pipeline = "Type = its CTA]"});
    meet(Call::cta_sync);
  }
}
/// Of the groups of asynchronous reads of a warp.
DMA_DEVICE void count_read_group() { commit_read_group(); }
DMA_DEVICE void count_groups_read(int pending) { await_read_groups(pending); }

DMA_DEVICE void note_budget() {
  if (threadIdx.x % 32 == 0) {
    DMA_EXPECTS(!warp_record().has_budget,
                "dma::take_roles: a warp acquires its role's registers once in a kernel, and this one has them "
                "already; put all code of its role into one take_roles()");
    warp_record().has_budget = true;
  }
}
[[nodiscard]] DMA_DEVICE bool has_budget() { return threadIdx.x % 32 != 0 || warp_record().has_budget; }

}  // namespace dma::inline v0_1::machine::gpu_model

#endif
