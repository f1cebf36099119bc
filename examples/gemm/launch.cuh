#pragma once

#include "kernel.hpp"

#include <dma/kernel/launch.hpp>
#include <dma/kernel/make_tensor_map.hpp>

namespace gemm {

template <class Kernel>
void launch(const Problem<typename Kernel::Element>& p, const Plan& plan, const Workspace& workspace,
            cudaStream_t stream) {
  const typename Kernel::Maps maps{
      dma::tensor_map<typename Kernel::Stage>(dma::of(p.a, Kernel::tile_of_a(p)), dma::of(p.b, Kernel::tile_of_b(p))),
      dma::tensor_map(p.c, Kernel::tile_of_c(p))};
  dma::launch(Kernel{}, {plan.ctas}, stream, maps, p, plan, workspace);
}

}  // namespace gemm
