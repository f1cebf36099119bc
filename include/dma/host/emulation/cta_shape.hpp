#pragma once

#include <dma/machine/index3.hpp>

#include <cstddef>

namespace dma::host {

/// The size of an emulated CTA and its index in the grid.
struct CtaShape {
  int threads = 0;
  std::size_t shared_bytes = 0;
  Index3 block;
  Index3 blocks;
  bool starts_early = false;  ///< by programmatic launch, so that it waits for the grids before
  int cluster_rank = 0;
};

}  // namespace dma::host
