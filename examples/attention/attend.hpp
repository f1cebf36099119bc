#pragma once

/// From a problem to a kernel and its plan, on either machine.

#include "kernel.hpp"
#include "paged.hpp"
#include "plan.hpp"
#include "problem.hpp"

namespace attention {

/// Calls `run(kernel)` with the kernel of a problem.
template <class Element, class Run>
void with_kernel(const Problem<Element>& p, const Run& run) {
  if (p.head_size == 64) {
    // Of 192 queries on the diagonal of few keys more scores are masked than of 128.
    return p.causal && p.keys <= 1024 ? run(Attention<Element, 64, 128>{}) : run(Attention<Element, 64, 128, 3>{});
  }
  return run(Attention<Element, 128, 128>{});
}

/// The same with keys and values in pages, in the longest boxes that divide a page.
template <class Element, class Run>
void with_kernel(const PagedProblem<Element>& p, const Run& run) {
  const auto with_boxes = [&](auto rows) {
    if (p.head_size == 64) {
      run(Attention<Element, 64, 128, 3, InPages<rows>>{});
    } else {
      run(Attention<Element, 128, 128, 2, InPages<rows>>{});
    }
  };
  if (p.page_rows % 128 == 0) {
    with_boxes(dma::Constant<128>{});
  } else if (p.page_rows % 64 == 0) {
    with_boxes(dma::Constant<64>{});
  } else {
    with_boxes(dma::Constant<16>{});
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
