#pragma once

#include "attend.hpp"
#include "execute.hpp"
#include "kernel.hpp"

#include <dma/launch/launch.hpp>
#include <dma/launch/make_tensor_map.hpp>

namespace attention {

template <class Kernel>
void launch(const typename Kernel::Problem& p, const typename Kernel::Plan& plan, cudaStream_t stream) {
  const dma::TensorMapOptions options{.l2_bytes = 256};
  const typename Kernel::Maps maps{dma::tensor_map(p.q.first, Kernel::tile_of_q(p), options),
                                   dma::tensor_map(p.k.first, Kernel::block_of(p, p.k), options),
                                   dma::tensor_map(p.v.first, Kernel::block_of(p, p.v), options),
                                   dma::tensor_map(p.o.first, Kernel::tile_of_o(p), options)};
  dma::launch(Kernel{}, {plan.ctas}, stream, maps, p, plan);
}

template <class Problem, class Plan>
void launch_planned(const Problem& p, const Plan& plan, cudaStream_t stream) {
  expect_valid(p);
  expect_valid(plan);
  with_kernel(p, [&]<class Kernel>(const Kernel&) { launch<Kernel>(p, plan, stream); });
}

}  // namespace attention
