#pragma once

#include "execute.hpp"
#include "kernel.hpp"
#include "multiply.hpp"

#include <dma/launch/launch.hpp>
#include <dma/launch/make_tensor_map.hpp>

namespace gemm {

template <class Kernel>
void launch(const Problem<typename Kernel::Element>& problem, const Plan& plan, const Workspace& workspace,
            cudaStream_t stream) {
  const auto p = solved_by<Kernel>(problem);
  // Rows that begin on lines of the L2 come two lines at a time.
  const auto options = [](long long distance) {
    return dma::TensorMapOptions{.l2_bytes = distance % 128 == 0 ? 256 : 128};
  };
  const auto out = dma::tensor_map(p.c, Kernel::tile_of_c(p));
  const int ctas = plan.ctas * Kernel::shape.ctas();
  if constexpr (requires { typename Kernel::Stage; }) {
    const typename Kernel::Maps maps{
        dma::tensor_map<typename Kernel::Stage>(dma::TensorArray{p.a, Kernel::tile_of_a(p), options(p.lda)},
                                                dma::TensorArray{p.b, Kernel::tile_of_b(p), options(p.ldb)}),
        out};
    dma::launch(Kernel{}, {ctas}, stream, maps, p, plan, workspace);
  } else {
    const typename Kernel::Maps maps{dma::tensor_map(p.a, Kernel::tile_of_a(p), options(p.lda)),
                                     dma::tensor_map(p.b, Kernel::tile_of_b(p), options(p.ldb)), out};
    dma::launch(Kernel{}, {ctas}, stream, maps, p, plan, workspace);
    if (plan.adds_later()) {
      using Added = AddParts<typename Kernel::Element, Kernel::shape>;
      dma::launch(Added{}, {Added::ctas(plan)}, stream, p, plan, workspace);
    }
  }
}

template <class Element>
void launch_planned(const Problem<Element>& p, const Plan& plan, const Workspace& workspace, cudaStream_t stream) {
  expect_valid(p);
  with_kernel<Element>(plan, [&]<class Kernel>(const Kernel&) { launch<Kernel>(p, plan, workspace, stream); });
}

}  // namespace gemm
