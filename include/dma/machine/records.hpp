#pragma once

#include <dma/config.hpp>

#if DMA_CHECKED && defined(__CUDA_ARCH__)
#include <dma/machine/checked/pipeline_record.hpp>
#endif

/// What the checked build keeps in a pipeline and in a slot; nothing elsewhere.
namespace dma::inline v0_1::machine {

#if DMA_CHECKED && defined(__CUDA_ARCH__)

/// Which of its warp's groups of asynchronous reads reads a slot. A host knows the bytes of each group.
struct ReadMark {
  static constexpr unsigned no_group = ~0U;
  mutable unsigned group = no_group;
};

#else

struct PipelineRecord {};
struct SlotPlace {};
struct ReadMark {};

#endif

}  // namespace dma::inline v0_1::machine
