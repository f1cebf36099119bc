#pragma once

/// From shapes at run time to kernels.

#include "pass.hpp"
#include "plan.hpp"
#include "untangle.hpp"

#include <cstddef>
#include <iterator>
#include <utility>

namespace fft {

/// Launches one pass. `machine` is a GPU or the emulator: `machine.launch(kernel, ctas, arguments...)` launches a
/// kernel body, `machine.map<Pattern>(array, pattern)` makes a tensor map.
template <PassShape shape, class Machine>
void launch_pass(const PlannedPass& pass, const PassProblem& problem, const Machine& machine) {
  if constexpr (shape.only_untangles()) {
    machine.launch(UntanglePass<shape>{}, pass.ctas, problem);
  } else if constexpr (shape.loads == Loads::ahead) {
    using Kernel = AheadPass<shape>;
    using Part = typename Kernel::Part;
    const Part part = Kernel::part_at(problem, TilePlace(problem, shape.columns, 0), 0);
    machine.launch(Kernel{}, pass.ctas, machine.template map<Part>(problem.from, part), problem, pass.tiles);
  } else {
    machine.launch(Pass<shape>{}, pass.ctas, problem);
  }
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

/// Launches a pass on a machine, which has kernels of the shapes for which `Machine::has(shape)`; returns whether it
/// has this one.
template <class Machine>
[[nodiscard]] bool launches(const PlannedPass& pass, const PassProblem& problem, const Machine& machine) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return (launches_as<shapes[I]>(pass, problem, machine) || ...);
  }
  (std::make_index_sequence<std::size(shapes)>{});
}

}  // namespace fft
