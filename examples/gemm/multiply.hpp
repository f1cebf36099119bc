#pragma once

/// From a problem and a plan to a launch, on either machine.

#include "kernel.hpp"
#include "plan.hpp"
#include "problem.hpp"

namespace gemm {

/// Calls `run(kernel)` with the kernel of a plan.
template <class Element, class Run>
void with_kernel(const Plan& plan, const Run& run) {
  const TileShape shape = plan.shape;
  if (shape.is_transposed) {
    return shape.columns == 16 ? run(Gemm<Element, TileShape{64, 16, true}>{})
                               : run(Gemm<Element, TileShape{64, 48, true}>{});
  }
  if (shape.rows == 64) {
    return run(Gemm<Element, TileShape{64, 64}>{});
  }
  switch (shape.columns) {
    case 256:
      return run(Gemm<Element, TileShape{128, 256}>{});
    case 192:
      return run(Gemm<Element, TileShape{128, 192}>{});
    case 144:
      return run(Gemm<Element, TileShape{128, 144}>{});
    case 128:
      return run(Gemm<Element, TileShape{128, 128}>{});
    default:
      return run(Gemm<Element, TileShape{128, 64}>{});
  }
}

}  // namespace gemm
