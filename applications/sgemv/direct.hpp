#pragma once

/// The kernels without shared memory: A and x go from global memory to registers, all of a tile at once. For problems
/// so small that staging would take most of the time, and for kernels that read everything once and have enough
/// registers.

#include "kernel.hpp"

namespace sgemv {

template <Op op, Tile tile, int warps, Access access>
struct Direct {
  using Layout = dma::WarpLayout<dma::Compute<warps>>;
  using Tiles = Share<op, tile, access>;
  using Partial = Sums<op, tile, warps>;

  static constexpr int outputs = Tiles::outputs;  ///< of a CTA
  static constexpr dma::KernelTraits traits{.programmatic_launch = true};

  struct Shared {
    typename Partial::Shared sums;
    dma::ArrivalCounter arrivals;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Direct>& cta, const Problem& p, const Workspace& workspace) const {
    auto& shared = cta.template shared<Shared>();
    const Tiles tiles(cta, p);
    Partial sums(cta);
    // The next grid's CTAs go to whichever SMs free up first, which unbalances a long grid of few CTAs.
    if (op == Op::t || tiles.last - tiles.first <= 4 * Tiles::summed) {
      cta.trigger_dependent_launch();
    }
    if constexpr (!access.a_is_constant) {
      cta.grid_dependency_wait();
    }
    for (int at = tiles.first; at < tiles.last; at += Tiles::summed) {
      Quad quads[Partial::quads];
      load_quads<access>(p, tiles.a_at(at), sums, quads);
      if constexpr (access.a_is_constant) {
        cta.grid_dependency_wait();
      }
      sums.add([&](int k) { return quads[k]; }, GlobalX<access>{p, at});
    }
    if constexpr (access.a_is_constant) {
      cta.grid_dependency_wait();  // of a CTA without a tile
    }
    finish<Layout>(cta, p, workspace, sums, shared.sums, shared.arrivals);
  }
};

/// y = beta y: the whole result where alpha is 0, when neither A nor x is read.
struct ScaleY {
  using Layout = dma::WarpLayout<dma::Compute<8>>;
  static constexpr int outputs = Layout::threads;
  static constexpr dma::KernelTraits traits{.programmatic_launch = true};

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ScaleY>& cta, const Problem& p, const Workspace&) const {
    const int output = cta.block().x * outputs + cta.thread();
    cta.grid_dependency_wait();
    if (output < p.outputs()) {
      float& y = p.first_of_y()[static_cast<long long>(output) * p.incy];
      y = p.beta == 0 ? 0 : p.beta * y;
    }
  }
};

}  // namespace sgemv
