#pragma once

/// The kernels of section 6.1 of the paper (SC'11). A CTA computes a block of outputs and streams along it: x through
/// one pipeline and, in the both-* variants, A through another. With more bufferings and other tile shapes than in the
/// paper, the fastest kernels of today use the same code.

#include "sums.hpp"

namespace sgemv {

/// x by the engine that its runs and their alignment choose, whatever the number of stages: one bulk copy, though the
/// tile is short. The variants differ in their bufferings alone.
template <class Tile, class Buffering>
using PipelineOfX =
    dma::DmaPipeline<Tile, Buffering, dma::DefaultBarrier, dma::DefaultEngine<Tile, dma::DefaultBarrier>>;

/// vec-*: x is staged through shared memory, A goes from global memory to registers.
template <Op op, Tile tile, class Buffering, Access access>
struct Vec {
  using Layout = typename Buffering::Layout;
  using Tiles = Share<op, tile, access>;
  using Pipe = PipelineOfX<typename Tiles::X, Buffering>;
  using Partial = Sums<op, tile, Layout::compute_warps>;

  static constexpr int outputs = Tiles::outputs;  ///< of a CTA
  static constexpr dma::KernelTraits traits{.programmatic_launch = true};

  struct Shared {
    typename Pipe::Storage x;
    typename Partial::Shared sums;
    dma::ArrivalCounter arrivals;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Vec>& cta, const Problem& p, const Workspace& workspace) const {
    auto& shared = cta.template shared<Shared>();
    const Tiles tiles(cta, p);
    Partial sums(cta);
    Pipe pipe(cta, shared.x);
    // No trigger: the next grid's CTAs would go to whichever SMs free up first, which have room for several.
    cta.grid_dependency_wait();

    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      for (int at : dma.my_tiles({.first = tiles.first, .last = tiles.last, .step = Tiles::summed})) {
        dma.load(p.first_of_x(), tiles.x_at(at));
      }
    } else {
      const auto compute = pipe.as_compute();
      for (int at = tiles.first; at < tiles.last; at += Tiles::summed) {
        Quad quads[Partial::quads];
        load_quads<access>(p, tiles.a_at(at), sums, quads);
        const auto x = compute.wait();
        sums.add([&](int k) { return quads[k]; }, SharedX{x.data()});
      }
    }
    finish<Layout>(cta, p, workspace, sums, shared.sums, shared.arrivals);
  }
};

/// both-*: x and A are staged, each by DMA warps of its own.
template <Op op, Tile tile, class Bufferings, Access access>
struct Both {
  using Layout = typename Bufferings::OfX::Layout;
  using Tiles = Share<op, tile, access>;
  using PipeOfX = PipelineOfX<typename Tiles::X, typename Bufferings::OfX>;
  using PipeOfA = dma::DmaPipeline<typename Tiles::A, typename Bufferings::OfA>;
  using Partial = Sums<op, tile, Layout::compute_warps>;

  static constexpr int outputs = Tiles::outputs;  ///< of a CTA
  static constexpr dma::KernelTraits traits{.programmatic_launch = true};

  struct Shared {
    typename PipeOfX::Storage x;
    typename PipeOfA::Storage a;
    typename Partial::Shared sums;
    dma::ArrivalCounter arrivals;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Both>& cta, const Problem& p, const Workspace& workspace) const {
    auto& shared = cta.template shared<Shared>();
    const Tiles tiles(cta, p);
    Partial sums(cta);
    PipeOfX pipe_of_x(cta, shared.x);
    PipeOfA pipe_of_a(cta, shared.a);
    cta.trigger_dependent_launch();
    if (!access.a_is_constant || !pipe_of_a.is_dma()) {
      cta.grid_dependency_wait();
    }

    if (pipe_of_x.is_dma()) {
      const auto dma = pipe_of_x.as_dma();
      for (int at : dma.my_tiles({.first = tiles.first, .last = tiles.last, .step = Tiles::summed})) {
        dma.load(p.first_of_x(), tiles.x_at(at));
      }
    } else if (pipe_of_a.is_dma()) {
      const auto dma = pipe_of_a.as_dma();
      for (int at : dma.my_tiles({.first = tiles.first, .last = tiles.last, .step = Tiles::summed})) {
        dma.load(source_in_a<access>(p.a), tiles.a_at(at));
      }
    } else {
      const auto compute_x = pipe_of_x.as_compute();
      const auto compute_a = pipe_of_a.as_compute();
      for (int at = tiles.first; at < tiles.last; at += Tiles::summed) {
        const auto x = compute_x.wait();
        const auto a = compute_a.wait();
        const float* const elements = a.data();
        const auto quad = [&](int k) {
          return *reinterpret_cast<const Quad*>(elements + Tiles::A::index(sums.col(k), sums.row(k)));
        };
        sums.add(quad, SharedX{x.data()});
      }
    }
    finish<Layout>(cta, p, workspace, sums, shared.sums, shared.arrivals);
  }
};

}  // namespace sgemv
