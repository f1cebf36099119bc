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
        storage_(__shfl_sync(whole_warp, storage_address(pipeline.storage), 0)),
        name_(__shfl_sync(whole_warp, reinterpret_cast<unsigned long long>(pipeline.pipeline), 0)) {}

  DMA_DEVICE void store(Call call, int stage) const { store_call(record_, name_, storage_, call, stage); }

 private:
  unsigned record_ = 0;
  unsigned storage_ = 0;
  unsigned long long name_ = 0;
};
#else
struct PipelineRecord {};
#endif

/// What the checked build knows of a slot before it is filled. Elsewhere nothing.
struct SlotBefore {
  unsigned long long tile = 0;  ///< a `SlotTile`, mostly the slot's
  unsigned cta = 0;             ///< the CTA's key
};

}  // namespace dma::machine
