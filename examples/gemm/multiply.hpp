#pragma once

/// From a problem and a plan to a launch, on either machine.

#include "kernel.hpp"
#include "plan.hpp"
#include "problem.hpp"

namespace gemm {

/// Stages that fit into shared memory beside the two slots of the pipeline that stores.
[[nodiscard]] constexpr int stages_of(int tile_columns) {
  return tile_columns == 256 ? 4 : tile_columns == 128 ? 6 : 8;
}

/// Calls `run(kernel)` with the kernel of a plan.
template <class Element, class Run>
void with_kernel(const Plan& plan, const Run& run) {
  switch (plan.tile_columns) {
    case 256:
      return run(Gemm<Element, 256, stages_of(256)>{});
    case 128:
      return run(Gemm<Element, 128, stages_of(128)>{});
    default:
      return run(Gemm<Element, 64, stages_of(64)>{});
  }
}

/// The tensor maps of a kernel: `of_two(a, b)` and `of_one(c)` make them, from arrays with the tile that has their
/// extents.
template <class Kernel, class Element, class Maker>
[[nodiscard]] typename Kernel::Maps maps_of(const Problem<Element>& p, const Maker& maker) {
  return {maker.template operator()<typename Kernel::Stage>(dma::of(p.a, typename Kernel::TileOfA{p.lda * 2, p.m, p.k}),
                                                            dma::of(p.b, typename Kernel::TileOfB{p.ldb * 2, p.n, p.k})),
          maker.template operator()<typename Kernel::TileOfC>(dma::of(p.c, typename Kernel::TileOfC{p.ldc * 2, p.m, p.n}))};
}

}  // namespace gemm
