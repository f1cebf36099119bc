#pragma once

#include <dma/machine/index3.hpp>

#include <cstddef>

namespace dma::inline v0_1::host::detail {

class KernelMemory;

/// The size of an emulated CTA, its index in the grid and its memory.
struct CtaShape {
  int threads = 0;
  std::size_t shared_bytes = 0;
  Index3 block;
  Index3 blocks;
  bool starts_early = false;       ///< by programmatic launch, so that it waits for the grids before
  int index = 0;                   ///< among the CTAs that run together
  KernelMemory* memory = nullptr;  ///< global memory that its kernel may access; null where that is not known
};

}  // namespace dma::inline v0_1::host::detail
