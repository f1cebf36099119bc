#pragma once

#include <dma/config.hpp>
#include <dma/machine/checked/cta.hpp>
#include <dma/machine/checked/lanes.hpp>
#include <dma/machine/checked/message.hpp>
#include <dma/machine/checked/pipeline_record.hpp>
#include <dma/machine/checked/slots.hpp>
#include <dma/machine/gpu/ptx/warp.hpp>
#include <dma/machine/read_mark.hpp>
#include <dma/machine/site.hpp>
#include <dma/machine/source_location.hpp>
#include <dma/standard.hpp>

/// The GPU's model of contracts: nothing, or what the checked build keeps in shared memory.
/// `dma/machine/machine.hpp` documents the names.
#if defined(__CUDA_ARCH__)

namespace dma::machine::gpu_model {

DMA_DEVICE void claim_barriers([[maybe_unused]] int first, [[maybe_unused]] int count) {
#if DMA_CHECKED
  if (threadIdx.x % 32 == 0) {
    const unsigned wanted = ((1U << count) - 1) << first;
    DMA_EXPECTS((warp_record().claimed & wanted) == 0,
                "dma::DmaPipeline: two pipelines of a kernel use the same named barriers at the same time, because "
                "they use the same DMA group; give each its own (FirstGroup), or use dma::CudaBarrier");
    warp_record().claimed = warp_record().claimed | wanted;
  }
#endif
}
DMA_DEVICE void release_barriers([[maybe_unused]] int first, [[maybe_unused]] int count) {
#if DMA_CHECKED
  if (threadIdx.x % 32 == 0) {
    const unsigned given_up = ((1U << count) - 1) << first;
    warp_record().claimed = warp_record().claimed & ~given_up;
  }
#endif
}
DMA_DEVICE void claim_storage([[maybe_unused]] const PipelineRecord& pipeline, [[maybe_unused]] const void* storage,
                              [[maybe_unused]] bool keeps_barriers) {
#if DMA_CHECKED
  open_storage(pipeline, storage, keeps_barriers);
#endif
}
DMA_DEVICE void free_storage([[maybe_unused]] const PipelineRecord& pipeline) {
#if DMA_CHECKED
  close_storage(pipeline);
#endif
}
DMA_DEVICE void name_kernel([[maybe_unused]] const char* name) {
#if DMA_CHECKED
  forget_earlier_launch();
  if (threadIdx.x % 32 == 0) {
    cta_record().kernel = {cta_key(), name};
  }
#endif
}
DMA_DEVICE void enters([[maybe_unused]] Call call, [[maybe_unused]] const Site& site) {
#if DMA_CHECKED
  note_call(call, site);
  expect_converged(call);
#endif
}
[[nodiscard]] DMA_DEVICE PipelineRecord record_of([[maybe_unused]] const Site& pipeline, [[maybe_unused]] int slots) {
#if DMA_CHECKED
  return PipelineRecord(pipeline, slots);
#else
  return {};
#endif
}
DMA_DEVICE void enters_again([[maybe_unused]] Call call, [[maybe_unused]] const Site& site,
                             [[maybe_unused]] const PipelineRecord& pipeline) {
#if DMA_CHECKED
  pipeline.store(call, site);
  expect_converged(call);
#endif
}
[[nodiscard]] DMA_DEVICE bool is_unwinding() { return false; }
/// Nothing is allocated in the first MiB: there, an address is null, or a tile of an array that is.
[[nodiscard]] DMA_DEVICE bool is_global(const void* address) {
  constexpr unsigned long long first_address = 1ULL << 20;
  return __isGlobal(address) != 0 && reinterpret_cast<unsigned long long>(address) >= first_address;
}
[[nodiscard]] DMA_DEVICE bool is_local(const void* address) { return ptx::is_local(address); }
[[nodiscard]] DMA_DEVICE bool is_shared(const void* address) { return __isShared(address) != 0; }
[[nodiscard]] DMA_DEVICE SlotPlace slot_place([[maybe_unused]] const PipelineRecord& pipeline,
                                              [[maybe_unused]] int stage) {
#if DMA_CHECKED
  return pipeline.place(stage);
#else
  return {};
#endif
}
DMA_DEVICE void slot_filled(const void*, [[maybe_unused]] int elements, stdlib::uint64_t,
                            [[maybe_unused]] SlotPlace place) {
#if DMA_CHECKED
  fill_slot(static_cast<unsigned>(elements), place);
#endif
}
DMA_DEVICE void slot_used(const void*, [[maybe_unused]] int elements, stdlib::uint64_t,
                          [[maybe_unused]] SlotPlace place) {
#if DMA_CHECKED
  expect_filled(static_cast<unsigned>(elements), place);
#endif
}
DMA_DEVICE void slot_emptied([[maybe_unused]] SlotPlace place) {
#if DMA_CHECKED
  empty_slot(place);
#endif
}
DMA_DEVICE void ends([[maybe_unused]] const PipelineRecord& pipeline, [[maybe_unused]] bool takes_part,
                     [[maybe_unused]] int filled, [[maybe_unused]] int used) {
#if DMA_CHECKED
  expect_same_end(pipeline.words(), takes_part, static_cast<unsigned>(filled), static_cast<unsigned>(used));
#endif
}
DMA_DEVICE void mark_reads([[maybe_unused]] const ReadMark& mark) {
#if DMA_CHECKED
  mark.group = read_groups().committed;
#endif
}
DMA_DEVICE void expect_reads_over([[maybe_unused]] const ReadMark& mark) {
#if DMA_CHECKED
  if (mark.group != ReadMark::no_group) {
    expect_read(mark.group);
  }
#endif
}
DMA_DEVICE void slot_held(const void*, int, Holding) {}
DMA_DEVICE void slot_moving(const void*, const void*) {}
DMA_DEVICE void slots_gone(const void*, int) {}
DMA_DEVICE void pipeline_opened(const Site&, int, int) {}
DMA_DEVICE void called_from(SourceLocation) {}
DMA_DEVICE void works_on(const Site&) {}
DMA_DEVICE void touched(const void*, int, Access) {}
DMA_DEVICE void exposed(void*, int, int, Access) {}
DMA_DEVICE constexpr void expect_row([[maybe_unused]] long long row, [[maybe_unused]] int position,
                                     [[maybe_unused]] long long rows) {
#if DMA_CHECKED
  if (row < 0 || row >= rows) {
    refuse_row(row, position, rows);
  }
#endif
}

}  // namespace dma::machine::gpu_model

#endif
