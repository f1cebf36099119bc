#pragma once

/// The groups of wgmma instructions, one function an instruction. A comment begins with the title of its section in the
/// PTX ISA.

#include <dma/config.hpp>
#include <dma/machine/gpu/ptx/warp.hpp>

#if defined(__CUDACC__)

namespace dma::inline v0_1::ptx {

/// wgmma.commit_group: closes the warp's current group of wgmma.mma_async, which may be empty. All lanes of a converged
/// warp execute it.
DMA_DEVICE void commit_matrix_group() {
  if constexpr (has_wgmma) {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  }
}

/// wgmma.wait_group: at most `Pending` of the warp's groups are in flight.
template <int Pending>
DMA_DEVICE void wait_for_matrix_groups() {
  if constexpr (has_wgmma) {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
  }
}

}  // namespace dma::v0_1::ptx

#endif
