#pragma once

/// Attention on the emulator.

#include "attend.hpp"

#include <dma/host/launch.hpp>

namespace attention {

/// The maps of a kernel for the emulator.
template <class Kernel>
[[nodiscard]] typename Kernel::Maps host_maps(const typename Kernel::Problem& p) {
  return {dma::host::tensor_map(p.q.first, Kernel::tile_of_q(p)),
          dma::host::tensor_map(p.k.first, Kernel::block_of(p, p.k)),
          dma::host::tensor_map(p.v.first, Kernel::block_of(p, p.v)),
          dma::host::tensor_map(p.o.first, Kernel::tile_of_o(p))};
}

/// Attends as planned; arrays are in host memory.
template <class Kernel>
void attend_on_host(const Kernel& kernel, const typename Kernel::Problem& p, const typename Kernel::Plan& plan) {
  expect_valid(p);
  expect_valid(plan);
  dma::host::launch(kernel, {plan.ctas}, host_maps<Kernel>(p), p, plan);
}
template <class Problem, class Plan>
void attend_on_host(const Problem& p, const Plan& plan) {
  with_kernel(p, [&](const auto& kernel) { attend_on_host(kernel, p, plan); });
}

}  // namespace attention
