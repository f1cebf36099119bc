#pragma once

#include <dma/config.hpp>

namespace dma::inline v0_1::machine {

/// Which of its warp's groups of asynchronous reads reads a slot, in the checked build. Empty elsewhere: a host knows
/// the bytes of each group.
struct ReadMark {
#if DMA_CHECKED && defined(__CUDA_ARCH__)
  static constexpr unsigned no_group = ~0U;
  mutable unsigned group = no_group;
#endif
};

}  // namespace dma::v0_1::machine
