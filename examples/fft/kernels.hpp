#pragma once

/// Runs plans: from shapes at run time to kernels.

#include "pass.hpp"
#include "plan.hpp"

#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

namespace fft {

/// Launches one pass. `machine` is a GPU or the emulator: `machine.launch(kernel, ctas, arguments...)` launches a
/// kernel body, `machine.map<Pattern>(array, pattern)` makes a tensor map.
template <PassShape shape, class Machine>
void launch_pass(const PlannedPass& pass, const PassProblem& problem, const Machine& machine) {
  if constexpr (shape.loads == Loads::ring && shape.to == Columns::runs) {
    machine.launch(RunRingPass<shape>{}, pass.ctas, problem, pass.tiles);
  } else if constexpr (shape.loads == Loads::ring) {
    using Chunk = typename RingPass<shape>::Chunk;
    const Chunk chunk = RingPass<shape>::chunk_at(problem, {problem, shape.columns, 0}, 0);
    machine.launch(RingPass<shape>{}, pass.ctas, machine.template map<Chunk>(problem.from, chunk), problem, pass.tiles);
  } else {
    machine.launch(Pass<shape>{}, pass.ctas, problem);
  }
}

/// The problem of a pass with the addresses of its arrays.
[[nodiscard]] inline PassProblem problem_of(const PlannedPass& pass, const Complex* in, Complex* out, Complex* work) {
  PassProblem problem = pass.problem;
  problem.from = pass.from == Array::in ? in : work;
  problem.to = pass.to == Array::out ? out : work;
  return problem;
}

/// Launches the pass where it has this shape, and returns whether it has.
template <PassShape shape, class Machine>
[[nodiscard]] bool launches_as(const PlannedPass& pass, const PassProblem& problem, const Machine& machine) {
  if constexpr (Machine::has(shape)) {
    if (pass.shape == shape) {
      launch_pass<shape>(pass, problem, machine);
      return true;
    }
  }
  return false;
}

/// Launches the passes of a plan, in order. The machine has kernels of the shapes for which `Machine::has(shape)`.
///
/// @param in, out  may be the same array
/// @param work     `plan.work_points()` points
template <class Machine>
void run(const Plan& plan, const Complex* in, Complex* out, Complex* work, const Machine& machine) {
  expect_arrays(plan, in, out, work);
  for (const PlannedPass& pass : plan.passes) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      const bool is_launched = (launches_as<shapes[I]>(pass, problem_of(pass, in, out, work), machine) || ...);
      if (!is_launched) {
        throw std::invalid_argument(
            "fft: this machine has no kernel for a pass of " + std::to_string(pass.shape.points) + " points x " +
            std::to_string(pass.shape.columns) + " columns of this plan; transform fewer points");
      }
    }
    (std::make_index_sequence<std::size(shapes)>{});
  }
}

}  // namespace fft
