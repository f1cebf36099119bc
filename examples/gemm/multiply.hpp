#pragma once

/// From a problem and a plan to a launch, on either machine.

#include "kernel.hpp"
#include "plan.hpp"
#include "problem.hpp"

namespace gemm {

/// The kernel of a tile shape: with as many stages as fit beside the two slots of the pipeline that stores, each of
/// which has 128 bytes of a row.
template <class Element, TileShape tile>
using KernelOf = Gemm<Element, tile, (225 * 1024 - 2 * 128 * tile.rows) / (2 * block * (tile.rows + tile.columns))>;

/// Calls `run(kernel)` with the kernel of a plan.
template <class Element, class Run>
void with_kernel(const Plan& plan, const Run& run) {
  if (plan.shape.rows == 64) {
    return run(KernelOf<Element, TileShape{64, 64}>{});
  }
  switch (plan.shape.columns) {
    case 256:
      return run(KernelOf<Element, TileShape{128, 256}>{});
    case 192:
      return run(KernelOf<Element, TileShape{128, 192}>{});
    case 128:
      return run(KernelOf<Element, TileShape{128, 128}>{});
    default:
      return run(KernelOf<Element, TileShape{128, 64}>{});
  }
}

}  // namespace gemm
