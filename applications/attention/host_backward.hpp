#pragma once

/// The backward pass on the emulator.

#include "attend_backward.hpp"

#include <dma/host/launch.hpp>

namespace attention {

/// The maps of a kernel for the emulator.
template <class Kernel>
[[nodiscard]] typename Kernel::Maps host_backward_maps(const BackwardProblem<typename Kernel::Element>& p) {
  using TileOfK = typename Kernel::TileOfK;
  using TileOfO = typename Kernel::TileOfO;
  const Problem<typename Kernel::Element>& f = p.forward;
  return {dma::host::tensor_map(f.q.first, Kernel::tile_of_q(p, f.q)),
          dma::host::tensor_map(p.d_o.first, Kernel::tile_of_q(p, p.d_o)),
          dma::host::tensor_map(f.k.first, Kernel::template tile_of_k<TileOfK>(p, f.k)),
          dma::host::tensor_map(f.v.first, Kernel::template tile_of_k<TileOfK>(p, f.v)),
          dma::host::tensor_map(p.d_k.first, Kernel::template tile_of_k<TileOfO>(p, p.d_k)),
          dma::host::tensor_map(p.d_v.first, Kernel::template tile_of_k<TileOfO>(p, p.d_v))};
}

/// Computes the gradients as planned; arrays are in host memory.
template <class Element>
void attend_backward_on_host(const BackwardProblem<Element>& p, const BackwardPlan& plan) {
  expect_valid(p);
  with_backward_kernels(p, [&]<class Before, class Kernel, class Behind>(const Before& before, const Kernel& kernel,
                                                                         const Behind& behind) {
    dma::host::launch(before, {Before::ctas(p)}, p);
    dma::host::launch(kernel, {plan.tiles()}, host_backward_maps<Kernel>(p), p, plan);
    dma::host::launch(behind, {Behind::ctas(p)}, p);
  });
}

}  // namespace attention
