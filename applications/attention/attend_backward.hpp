#pragma once

/// From a problem of the backward pass to its kernels and their plan, on either machine.

#include "backward_kernel.hpp"
#include "backward_plan.hpp"
#include "backward_problem.hpp"
#include "backward_rows.hpp"

namespace attention {

/// Calls `run(before, kernel, behind)` with the kernels of a problem, in their order.
template <class Element, class Run>
void with_backward_kernels(const BackwardProblem<Element>& p, const Run& run) {
  if (p.forward.head_size == 64) {
    run(PrepareRows<Element, 64>{}, AttentionBackward<Element, 64>{}, RoundQueries<Element, 64>{});
  } else {
    run(PrepareRows<Element, 128>{}, AttentionBackward<Element, 128>{}, RoundQueries<Element, 128>{});
  }
}

/// The plan of a problem.
template <class Element>
[[nodiscard]] BackwardPlan plan_of(const BackwardProblem<Element>& p) {
  const Problem<Element>& f = p.forward;
  return {f.batches, f.heads, f.kv_heads, f.queries, f.keys, f.causal, AttentionBackward<Element, 64>::tile_keys};
}

}  // namespace attention
