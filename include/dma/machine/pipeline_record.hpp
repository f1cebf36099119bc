#pragma once

#include <dma/config.hpp>
#include <dma/machine/checked_cta.hpp>
#include <dma/machine/site.hpp>

namespace dma::machine {

#if DMA_CHECKED && defined(__CUDA_ARCH__)
/// What the calls of a pipeline record, and where. Values that went through a shuffle: the assembler keeps them in
/// registers, where it would compute others again before each call, and the loads of a tile would wait for that.
class PipelineRecord {
 public:
  PipelineRecord() = default;
  /// Collective over the warp.
  DMA_DEVICE explicit PipelineRecord(const Site& pipeline)
      : record_(__shfl_sync(whole_warp, ptx::shared_address(&cta_record().warps[threadIdx.x / 32].in), 0)),
        name_(__shfl_sync(whole_warp, lower_half(pipeline.pipeline), 0)) {}

  DMA_DEVICE void store(Call call, const Site& site) const {
    store_call(record_, name_, storage_address(site.storage), call, site.stage);
  }

 private:
  unsigned record_ = 0;
  unsigned name_ = 0;
};
/// Where the size of a slot's tile is kept: the address of the lower half of its word in shared memory, 0 where a CTA
/// has too many slots. It does not change in a CTA, so a thread finds it before it waits for the slot.
struct SlotPlace {
  unsigned word = 0;
};
#else
struct PipelineRecord {};
struct SlotPlace {};
#endif

}  // namespace dma::machine
