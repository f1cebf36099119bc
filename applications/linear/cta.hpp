#pragma once

/// What a CTA of a layer's kernel does.

#include "../prefetch_map.hpp"
#include "parts.hpp"
#include "plan.hpp"

#include <dma/dma.hpp>

namespace linear {

/// A warp loads weights, another one X, which is behind the grid before, and the others multiply.
///
/// @param warpgroup_of  of a computing thread: makes its warpgroup of the pipelines of weights and of X
template <class Kernel, class Problem, class WarpgroupOf>
DMA_HOST_DEVICE void multiply_in_cta(dma::KernelCta<Kernel>& cta, const typename Kernel::Maps& maps, const Problem& p,
                                     const Plan& plan, const Workspace& workspace, const WarpgroupOf& warpgroup_of) {
  auto& shared = cta.template shared<typename Kernel::Shared>();
  if (cta.thread() == Kernel::Layout::threads - 1) {
    prefetch_map(maps.w);
    prefetch_map(maps.x);
  }
  typename Kernel::Weights weights(cta, shared.weights);
  typename Kernel::Inputs inputs(cta, shared.inputs);
  typename Kernel::PartsOfTiles parts(cta, shared.parts, plan, workspace);
  cta.trigger_dependent_launch();
  cta.take_roles(
      [&] {
        auto group = warpgroup_of(weights, inputs);
        plan.for_each_piece(cta.block().x, [&](const Plan::Piece& piece) { group.take(piece, parts); });
      },
      [&] {
        if constexpr (Kernel::form.weights_wait) {
          cta.grid_dependency_wait();
        }
        const auto dma = weights.as_dma();
        plan.for_each_piece(cta.block().x, [&](const Plan::Piece& piece) {
          for (int at = piece.first; at < piece.last; ++at) {
            dma.load(dma::constant(maps.w), Kernel::weights_of(p, piece.tile, at));
          }
        });
      },
      [&] {
        cta.grid_dependency_wait();
        const auto dma = inputs.as_dma();
        plan.for_each_piece(cta.block().x, [&](const Plan::Piece& piece) {
          for (int at = piece.first; at < piece.last; ++at) {
            dma.load(maps.x, Kernel::inputs_of(p, at));
          }
        });
      });
}

}  // namespace linear
