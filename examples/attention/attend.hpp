#pragma once

/// From a problem to a kernel and its plan, on either machine.

#include "kernel.hpp"
#include "plan.hpp"
#include "problem.hpp"

namespace attention {

/// Calls `run(kernel)` with the kernel of a problem.
template <class Element, class Run>
void with_kernel(const Problem<Element>& p, const Run& run) {
  if (p.head_size == 64) {
    return run(Attention<Element, 64, 128, 3>{});
  }
  return run(Attention<Element, 128, 128>{});
}

/// The plan of a problem on a GPU of so many multiprocessors.
template <class Element>
[[nodiscard]] Plan plan_of(const Problem<Element>& p, int sms) {
  Plan shape{p.batches, p.heads, p.queries, p.keys, p.causal, 0, 0, 1, 1};
  with_kernel(p, [&](const auto& kernel) {
    shape.rows = kernel.tile_rows;
    shape.block = kernel.block;
  });
  return make_plan(shape, sms);
}

}  // namespace attention
