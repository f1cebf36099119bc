#pragma once

/// Products on the emulator.

#include "multiply.hpp"

#include <dma/host/launch.hpp>

#include <vector>

namespace gemm {

/// The maps of a kernel for the emulator, of the problem as it solves it.
template <class Kernel>
[[nodiscard]] typename Kernel::Maps host_maps(const Problem<typename Kernel::Element>& p) {
  const auto out = dma::host::tensor_map(p.c, Kernel::tile_of_c(p));
  if constexpr (requires { typename Kernel::Stage; }) {
    return {dma::host::tensor_map<typename Kernel::Stage>(dma::TensorArray{p.a, Kernel::tile_of_a(p)},
                                                          dma::TensorArray{p.b, Kernel::tile_of_b(p)}),
            out};
  } else {
    return {dma::host::tensor_map(p.a, Kernel::tile_of_a(p)), dma::host::tensor_map(p.b, Kernel::tile_of_b(p)), out};
  }
}

/// Multiplies as planned; arrays are in host memory.
template <class Element>
void multiply_on_host(const Problem<Element>& p, const Plan& plan) {
  expect_valid(p);
  std::vector<dma::Vector<float>> sums(sums_of(plan));
  std::vector<dma::ArrivalCounter> arrivals(counters_of(plan));
  with_kernel<Element>(plan, [&]<class Kernel>(const Kernel& kernel) {
    const auto solved = solved_by<Kernel>(p);
    const Workspace workspace{sums.data(), arrivals.data()};
    dma::host::launch(kernel, {plan.ctas * Kernel::shape.ctas()}, host_maps<Kernel>(solved), solved, plan, workspace);
    if constexpr (!requires { typename Kernel::Stage; }) {
      if (plan.adds_later()) {
        using Added = AddParts<Element, Kernel::shape>;
        dma::host::launch(Added{}, {Added::ctas(plan)}, solved, plan, workspace);
      }
    }
  });
}

}  // namespace gemm
