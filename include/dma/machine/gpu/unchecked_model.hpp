#pragma once

#include <dma/config.hpp>
#include <dma/machine/records.hpp>
#include <dma/machine/site.hpp>
#include <dma/standard.hpp>

/// The contracts of a build that is not checked: nothing. `checked_model.hpp` has the same names.
#if defined(__CUDA_ARCH__) && !DMA_CHECKED

namespace dma::inline v0_1::machine::gpu_model {

inline constexpr bool checks_contracts = false;

/// A wait is a loop.
class Watch {
 public:
  DMA_DEVICE Watch(const Site&, const char*, unsigned) {}
  DMA_DEVICE void look() const {}
};

DMA_DEVICE void claim_barriers(int, int) {}
DMA_DEVICE void release_barriers(int, int) {}
DMA_DEVICE void claim_storage(const PipelineRecord&, const void*, bool) {}
DMA_DEVICE void free_storage(const PipelineRecord&) {}
DMA_DEVICE void name_kernel(const char*) {}
DMA_DEVICE void enters(Call, const Site&) {}
[[nodiscard]] DMA_DEVICE PipelineRecord record_of(const Site&, int) { return {}; }
DMA_DEVICE void enters_again(Call, const Site&, const PipelineRecord&) {}
[[nodiscard]] DMA_DEVICE SlotPlace slot_place(const PipelineRecord&, int) { return {}; }
DMA_DEVICE void slot_filled(const void*, int, stdlib::uint64_t, SlotPlace) {}
DMA_DEVICE void slot_used(const void*, int, stdlib::uint64_t, SlotPlace) {}
DMA_DEVICE void slot_emptied(SlotPlace) {}
DMA_DEVICE void ends(const PipelineRecord&, bool, int, int) {}
DMA_DEVICE void mark_reads(const ReadMark&) {}
DMA_DEVICE void expect_reads_over(const ReadMark&) {}
DMA_DEVICE constexpr void expect_row(long long, int, long long) {}

DMA_DEVICE void count_and_wait(int, int, const Site&) {}
DMA_DEVICE void count_only(int, int, const Site&) {}
DMA_DEVICE void expect_whole_warp() {}
DMA_DEVICE void count_read_group() {}
DMA_DEVICE void count_groups_read(int) {}
DMA_DEVICE void note_budget() {}
[[nodiscard]] DMA_DEVICE bool has_budget() { return true; }

}  // namespace dma::inline v0_1::machine::gpu_model

#endif
