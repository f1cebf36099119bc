#pragma once

/// From a problem to a kernel and its plan, on either machine.

#include "kernel.hpp"
#include "paged.hpp"
#include "plan.hpp"
#include "problem.hpp"

namespace attention {

/// Calls `run(kernel)` with the kernel of a problem whose keys and values are where `Keys` says.
template <class Keys, class Element, class Run>
void with_kernel_of(const Problem<Element>& p, const Run& run) {
  if (p.head_size == 128) {
    run(Attention<Element, 128, 128, 2, Keys>{});
  } else if (p.causal && p.keys <= 1024) {
    // Of 192 queries on the diagonal of few keys more scores are masked than of 128.
    run(Attention<Element, 64, 128, 2, Keys>{});
  } else {
    run(Attention<Element, 64, 128, 3, Keys>{});
  }
}

/// Calls `run(kernel)` with the kernel of a problem.
template <class Element, class Run>
void with_kernel(const Problem<Element>& p, const Run& run) {
  with_kernel_of<InArrays>(p, run);
}

/// The same with keys and values in pages, in the longest boxes that divide a page.
template <class Element, class Run>
void with_kernel(const PagedProblem<Element>& p, const Run& run) {
  if (p.page_rows % 128 == 0) {
    with_kernel_of<InPages<128>>(p, run);
  } else if (p.page_rows % 64 == 0) {
    with_kernel_of<InPages<64>>(p, run);
  } else if (p.page_rows % 32 == 0) {
    with_kernel_of<InPages<32>>(p, run);
  } else {
    with_kernel_of<InPages<16>>(p, run);
  }
}

/// What the plan of a problem is made from.
template <class Problem>
[[nodiscard]] Plan shape_of(const Problem& p) {
  Plan shape{p.batches, p.heads, p.queries, p.keys, p.causal, 0, 0, 1, 1};
  with_kernel(p, [&](const auto& kernel) {
    shape.rows = kernel.tile_rows;
    shape.block = kernel.block;
  });
  return shape;
}
/// The plan of a problem on a GPU of so many multiprocessors.
template <class Element>
[[nodiscard]] Plan plan_of(const Problem<Element>& p, int sms) {
  return make_plan(shape_of(p), sms);
}
template <class Element>
[[nodiscard]] PagedPlan plan_of(const PagedProblem<Element>& p, int sms) {
  return {make_plan(shape_of(p), sms), p.lengths};
}

}  // namespace attention
