#pragma once

/// Decoding on the emulator.

#include "kernel.hpp"

#include <dma/host/launch.hpp>

#include <cstddef>
#include <vector>

namespace decode {

/// The maps of a kernel for the emulator.
template <class Kernel>
[[nodiscard]] typename Kernel::Maps host_maps(const Problem<typename Kernel::Element>& p) {
  return {dma::host::tensor_map(p.k.first, Kernel::block_of(p, p.k)),
          dma::host::tensor_map(p.v.first, Kernel::block_of(p, p.v))};
}

/// A workspace in host memory.
template <class Kernel>
struct HostWorkspace {
  std::vector<typename Kernel::Part> parts;
  std::vector<dma::ArrivalCounter> counters;

  explicit HostWorkspace(const Plan& plan)
      : parts(static_cast<std::size_t>(plan.slots)), counters(static_cast<std::size_t>(plan.slots)) {}
  [[nodiscard]] Workspace<typename Kernel::Part> view() { return {parts.data(), counters.data()}; }
};

/// Decodes as planned; arrays are in host memory.
template <class Kernel>
void decode_on_host(const Kernel& kernel, const Problem<typename Kernel::Element>& p, const Plan& plan) {
  expect_taken<Kernel>(p, plan);
  HostWorkspace<Kernel> workspace(plan);
  dma::host::launch(kernel, {plan.ctas}, host_maps<Kernel>(p), p, plan.segments.data(), workspace.view());
}

}  // namespace decode
