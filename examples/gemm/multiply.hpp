#pragma once

/// From a problem and a plan to a launch, on either machine.

#include "kernel.hpp"
#include "plan.hpp"
#include "problem.hpp"

namespace gemm {

/// Stages that fit into shared memory beside the two slots of the pipeline that stores.
[[nodiscard]] constexpr int stages_of(int tile_columns) {
  return tile_columns >= 192 ? 4 : tile_columns == 128 ? 6 : 8;
}

/// Calls `run(kernel)` with the kernel of a plan.
template <class Element, class Run>
void with_kernel(const Plan& plan, const Run& run) {
  switch (plan.tile_columns) {
    case 256:
      return run(Gemm<Element, 256, stages_of(256)>{});
    case 192:
      return run(Gemm<Element, 192, stages_of(192)>{});
    case 128:
      return run(Gemm<Element, 128, stages_of(128)>{});
    default:
      return run(Gemm<Element, 64, stages_of(64)>{});
  }
}

}  // namespace gemm
