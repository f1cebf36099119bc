#pragma once

/// The layer on the emulator.

#include "kernel.hpp"
#include "linear.hpp"

#include <dma/host/launch.hpp>

#include <cstddef>
#include <vector>

namespace linear {

template <class Kernel>
[[nodiscard]] typename Kernel::Maps host_maps(const typename Kernel::Taken& p) {
  return {dma::host::tensor_map(p.w, Kernel::weights_of(p)), dma::host::tensor_map(p.x, Kernel::inputs_of(p))};
}

/// A workspace in host memory.
template <class Kernel>
struct HostWorkspace {
  std::vector<dma::Vector<float>> sums;
  std::vector<dma::ArrivalCounter> arrivals;

  explicit HostWorkspace(const Plan& plan)
      : sums(vectors_of<Kernel>(plan)), arrivals(static_cast<std::size_t>(plan.tiles)) {}
  [[nodiscard]] Workspace view() { return {sums.data(), arrivals.data()}; }
};

/// Packs weights for a kernel; arrays are in host memory.
template <class Kernel>
void pack_on_host(const Kernel&, const Rows<typename Kernel::Element>& from, typename Kernel::Element* packed) {
  constexpr Form form = Kernel::form;
  expect_packable(from, form.group, form.has_zeros);
  dma::host::launch(Pack<typename Kernel::Element, form.group, form.has_zeros, form.bits>{},
                    {blocks_along_n(from.n) * blocks_along_k(from.k)}, from, packed);
}

/// Arrays are in host memory.
template <class Kernel>
void multiply_on_host(const Kernel& kernel, const typename Kernel::Taken& p, int most_ctas) {
  expect_taken<Kernel>(p);
  const Plan plan = Kernel::plan_of(p, most_ctas);
  HostWorkspace<Kernel> workspace(plan);
  dma::host::launch(kernel, {plan.ctas}, host_maps<Kernel>(p), p, plan, workspace.view());
}

}  // namespace linear
