#pragma once

/// From a problem and a plan to a launch, on either machine.

#include "add_parts.hpp"
#include "cluster_kernel.hpp"
#include "kernel.hpp"
#include "plan.hpp"
#include "problem.hpp"
#include "split_kernel.hpp"

#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

namespace gemm {

/// The kernels that a program has.
inline constexpr TileShape kernel_shapes[] = {
    {128, 256},      {128, 192},     {128, 144},
    {128, 128},      {128, 64},      {64, 64},
    {128, 96, true}, {64, 16, true}, {.rows = 128, .columns = 256, .streams = true}};
inline constexpr TileShape cluster_shapes[] = {
    {.rows = 128, .columns = 256, .down = 2}, {.rows = 128, .columns = 208, .down = 2},
    {.rows = 128, .columns = 192, .down = 2}, {.rows = 128, .columns = 128, .down = 2},
    {.rows = 128, .columns = 128, .down = 4}, {.rows = 128, .columns = 72, .across = 2},
    {.rows = 128, .columns = 64, .across = 4}};
inline constexpr TileShape split_shapes[] = {{.rows = 128, .columns = 128, .deep = 2}};

/// The problem as a kernel solves it.
template <class Kernel>
[[nodiscard]] auto solved_by(const Problem<typename Kernel::Element>& p) {
  return Kernel::shape.is_transposed ? transposed(p) : p;
}

template <class Element, TileShape shape>
[[nodiscard]] auto kernel_of() {
  if constexpr (shape.deep > 1) {
    return SplitGemm<Element, shape>{};
  } else if constexpr (shape.ctas() > 1) {
    return ClusterGemm<Element, shape>{};
  } else {
    return Gemm<Element, shape>{};
  }
}

template <class Element, const auto& shapes, class Run, std::size_t... I>
[[nodiscard]] bool with_one_of(const Plan& plan, const Run& run, std::index_sequence<I...>) {
  return ((plan.shape == shapes[I] && (run(kernel_of<Element, shapes[I]>()), true)) || ...);
}
template <class Element, const auto& shapes, class Run>
[[nodiscard]] bool with_one_of(const Plan& plan, const Run& run) {
  return with_one_of<Element, shapes>(plan, run, std::make_index_sequence<std::size(shapes)>{});
}
/// Calls `run(kernel)` with the kernel of a plan, or throws where the program has none.
template <class Element, class Run>
void with_kernel(const Plan& plan, const Run& run) {
  const bool is_found = with_one_of<Element, kernel_shapes>(plan, run) ||
                        with_one_of<Element, cluster_shapes>(plan, run) ||
                        with_one_of<Element, split_shapes>(plan, run);
  if (!is_found) {
    throw std::invalid_argument("gemm: no kernel has tiles of " + std::to_string(plan.shape.rows) + " x " +
                                std::to_string(plan.shape.columns) + " in clusters of " +
                                std::to_string(plan.shape.ctas()) +
                                "; add the shape to kernel_shapes, cluster_shapes or split_shapes");
  }
}

}  // namespace gemm
