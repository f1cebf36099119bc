#pragma once

#include "attend_backward.hpp"
#include "execute.hpp"

#include <dma/launch/launch.hpp>
#include <dma/launch/make_tensor_map.hpp>

namespace attention {

template <class Before, class Kernel, class Behind>
void launch_backward(const BackwardProblem<typename Kernel::Element>& p, const BackwardPlan& plan,
                     cudaStream_t stream) {
  using TileOfK = typename Kernel::TileOfK;
  using TileOfO = typename Kernel::TileOfO;
  const Problem<typename Kernel::Element>& f = p.forward;
  const dma::TensorMapOptions options{.l2_bytes = 256};
  const typename Kernel::Maps maps{
      dma::tensor_map(f.q.first, Kernel::tile_of_q(p, f.q), options),
      dma::tensor_map(p.d_o.first, Kernel::tile_of_q(p, p.d_o), options),
      dma::tensor_map(f.k.first, Kernel::template tile_of_k<TileOfK>(p, f.k), options),
      dma::tensor_map(f.v.first, Kernel::template tile_of_k<TileOfK>(p, f.v), options),
      dma::tensor_map(p.d_k.first, Kernel::template tile_of_k<TileOfO>(p, p.d_k), options),
      dma::tensor_map(p.d_v.first, Kernel::template tile_of_k<TileOfO>(p, p.d_v), options)};
  dma::launch(Before{}, {Before::ctas(p)}, stream, p);
  dma::launch(Kernel{}, {plan.tiles()}, stream, maps, p, plan);
  dma::launch(Behind{}, {Behind::ctas(p)}, stream, p);
}

template <class Element>
void launch_planned(const BackwardProblem<Element>& p, const BackwardPlan& plan, cudaStream_t stream) {
  expect_valid(p);
  with_backward_kernels(p, [&]<class Before, class Kernel, class Behind>(const Before&, const Kernel&, const Behind&) {
    launch_backward<Before, Kernel, Behind>(p, plan, stream);
  });
}

}  // namespace attention
