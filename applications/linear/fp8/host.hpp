#pragma once

/// The layer on the emulator.

#include "../host.hpp"
#include "kernel.hpp"
#include "linear.hpp"

#include <dma/host/launch.hpp>

namespace linear::fp8 {

template <class Kernel>
[[nodiscard]] typename Kernel::Maps host_maps(const Problem& p) {
  return {dma::host::tensor_map(p.w, Kernel::weights_of(p)), dma::host::tensor_map(p.x, Kernel::inputs_of(p))};
}

/// Arrays are in host memory.
template <class Kernel>
void multiply_on_host(const Kernel& kernel, const Problem& p, int most_ctas) {
  expect_taken<Kernel>(p);
  const Plan plan = Kernel::plan_of(p, most_ctas);
  HostWorkspace<Kernel> workspace(plan);
  dma::host::launch(kernel, {plan.ctas}, host_maps<Kernel>(p), p, plan, workspace.view());
}

}  // namespace linear::fp8
