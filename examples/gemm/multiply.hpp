#pragma once

/// From a problem and a plan to a launch, on either machine.

#include "add_parts.hpp"
#include "cluster_kernel.hpp"
#include "kernel.hpp"
#include "plan.hpp"
#include "problem.hpp"

#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

namespace gemm {

/// The kernels that a program has.
inline constexpr TileShape kernel_shapes[] = {{128, 256}, {128, 192}, {128, 144},    {128, 128},
                                              {128, 64},  {64, 64},   {64, 16, true}};
inline constexpr TileShape cluster_shapes[] = {{.rows = 128, .columns = 256, .down = 2},
                                               {.rows = 128, .columns = 192, .down = 2},
                                               {.rows = 128, .columns = 128, .down = 2},
                                               {.rows = 128, .columns = 128, .down = 4},
                                               {.rows = 128, .columns = 64, .across = 4}};

/// The problem as a kernel solves it.
template <class Kernel>
[[nodiscard]] auto solved_by(const Problem<typename Kernel::Element>& p) {
  return Kernel::shape.is_transposed ? transposed(p) : p;
}

template <class Element, class Run, std::size_t... I, std::size_t... J>
void with_kernel(const Plan& plan, const Run& run, std::index_sequence<I...>, std::index_sequence<J...>) {
  const bool is_found =
      ((plan.shape == kernel_shapes[I] && (run(Gemm<Element, kernel_shapes[I]>{}), true)) || ...) ||
      ((plan.shape == cluster_shapes[J] && (run(ClusterGemm<Element, cluster_shapes[J]>{}), true)) || ...);
  if (!is_found) {
    throw std::invalid_argument(
        "gemm: no kernel has tiles of " + std::to_string(plan.shape.rows) + " x " + std::to_string(plan.shape.columns) +
        " in clusters of " + std::to_string(plan.shape.ctas()) + "; add the shape to kernel_shapes or cluster_shapes");
  }
}
/// Calls `run(kernel)` with the kernel of a plan, or throws where the program has none.
template <class Element, class Run>
void with_kernel(const Plan& plan, const Run& run) {
  with_kernel<Element>(plan, run, std::make_index_sequence<std::size(kernel_shapes)>{},
                       std::make_index_sequence<std::size(cluster_shapes)>{});
}

}  // namespace gemm
