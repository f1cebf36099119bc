#pragma once

/// The kernel: four warpgroups unpack weights and multiply, a warp loads these, and another one X.

#include "../attention/head_tile.hpp"
#include "../prefetch_map.hpp"
#include "packing.hpp"
#include "plan.hpp"
#include "problem.hpp"
#include "warpgroup.hpp"

#include <dma/dma.hpp>

namespace linear {

/// How a kernel takes its problem.
struct Form {
  int columns;  ///< rows of X, up to: a multiple of 8
  int group;    ///< numbers of a scale
  bool has_zeros;
  int row_groups;     ///< warpgroups side by side along n, 1 or 2 of the four; the others are side by side along k
  int slots;          ///< of the weights, and of X
  int registers = 0;  ///< of a computing thread; 0: as many as all have
  bool weights_wait = false;  ///< whether a grid before may write the weights too

  /// The same, behind a grid that may write the weights.
  [[nodiscard]] constexpr Form behind_weights() const {
    Form waiting = *this;
    waiting.weights_wait = true;
    return waiting;
  }
};

inline constexpr int long_k = 16384;  ///< more than those are long

/// The form for so many rows of X. The fastest on an H200, of 4096 and of 28672 k.
///
/// @param k  of the weights, where it is known: long ones are faster with one row group, up to 16 rows of X
[[nodiscard]] constexpr Form form_of(int columns, int group = 128, bool has_zeros = false, int k = 0) {
  if (columns <= 32) {
    return columns <= 16 && k > long_k ? Form{columns, group, has_zeros, 1, 5}
                                       : Form{columns, group, has_zeros, 2, columns <= 16 ? 6 : 5};
  }
  return columns <= 48 ? Form{columns, group, has_zeros, 2, 4, 112} : Form{columns, group, has_zeros, 1, 2, 112};
}

/// A tile of Y has the rows of X and 64 columns for each of the row groups.
template <class Type, Form form_>
struct Linear {
  using Element = Type;
  static constexpr Form form = form_;
  static_assert(form.row_groups == 1 || form.row_groups == 2,
                "linear::Linear: a form has one or two row groups of its four warpgroups; make row_groups 1 or 2");
  using Of = Block<form.group, form.has_zeros>;
  static constexpr int k_groups = 4 / form.row_groups;
  static constexpr int tile_rows = Of::rows * form.row_groups;  ///< of W
  static constexpr int unit = Of::k * k_groups;                 ///< k of a slot
  static constexpr int vectors = form.columns / 8;              ///< four sums each, of a thread's sums
  static constexpr int vectors_of_part = form.row_groups * vectors * 128;
  using Computing = dma::Compute<4, dma::Registers{form.registers}>;
  using Loading = dma::Dma<1, dma::Registers{form.registers == 0 ? 0 : 24}>;
  using Layout = dma::WarpLayout<Computing, Computing, Computing, Computing, Loading, Loading>;
  using TileOfW =
      dma::Tile3D<Element, dma::TileShape{.cols = Of::line, .rows = Of::lines* k_groups, .planes = form.row_groups},
                  dma::RowLayout{.alignment = 16}>;
  template <int k>
  using InputsOf =
      dma::Tile3D<Element, dma::TileShape{.cols = 64, .rows = form.columns, .planes = k / 64}, attention::swizzled>;
  using TileOfX = InputsOf<unit>;
  using PartOfX = InputsOf<Of::k>;  ///< of a warpgroup
  using Weights =
      dma::DmaPipeline<TileOfW, dma::MultiBuffer<Layout, form.slots, dma::DmaGroups{.first = 0, .count = 1}>,
                       dma::CudaBarrier, dma::TensorCopy<>>;
  using Inputs = dma::DmaPipeline<TileOfX, dma::MultiBuffer<Layout, form.slots, dma::DmaGroups{.first = 1, .count = 1}>,
                                  dma::CudaBarrier, dma::TensorCopy<>>;
  static constexpr dma::KernelTraits traits{.programmatic_launch = true};

  struct Shared {
    typename Inputs::Storage inputs;
    typename Weights::Storage weights;
    SharedOfGroups<vectors, form.row_groups> own;
  };
  struct Maps {
    dma::TensorMap<TileOfW> w;
    dma::TensorMap<TileOfX> x;
  };

  [[nodiscard]] DMA_HOST_DEVICE static TileOfW weights_of(const Problem<Element>& p, int tile = 0, int at = 0) {
    const int blocks = blocks_along_k(p.k);
    return {Of::line * 2LL,
            static_cast<long long>(blocks) * Of::elements * 2,
            blocks_along_n(p.n),
            blocks * Of::lines,
            Of::line,
            tile * form.row_groups,
            at * k_groups * Of::lines,
            0};
  }
  [[nodiscard]] DMA_HOST_DEVICE static TileOfX inputs_of(const Problem<Element>& p, int at = 0) {
    return {p.ldx * 2, 64 * 2, p.k / 64, p.m, 64, at * (unit / 64), 0, 0};
  }
  [[nodiscard]] DMA_HOST_DEVICE static Plan plan_of(const Problem<Element>& p, int most_ctas) {
    return make_plan((p.n + tile_rows - 1) / tile_rows, (p.k + unit - 1) / unit, most_ctas);
  }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Linear>& cta, const Maps& maps, const Problem<Element>& p,
                                  const Plan& plan, const Workspace& workspace) const {
    auto& shared = cta.template shared<Shared>();
    if (cta.thread() == Layout::threads - 1) {
      prefetch_map(maps.w);
      prefetch_map(maps.x);
    }
    Weights weights(cta, shared.weights);
    Inputs inputs(cta, shared.inputs);
    cta.trigger_dependent_launch();
    cta.take_roles(
        [&] {  // X, for which they wait, is behind the grid before
          Warpgroup<Linear> group(weights, inputs, shared.own, p, plan, workspace);
          plan.for_each_piece(cta.block().x, [&](const Plan::Piece& piece) { group.take(piece, cta.block().x); });
        },
        [&] {
          if constexpr (form.weights_wait) {
            cta.grid_dependency_wait();
          }
          const auto dma = weights.as_dma();
          plan.for_each_piece(cta.block().x, [&](const Plan::Piece& piece) {
            for (int at = piece.first; at < piece.last; ++at) {
              dma.load(dma::constant(maps.w), weights_of(p, piece.tile, at));
            }
          });
        },
        [&] {
          cta.grid_dependency_wait();
          const auto dma = inputs.as_dma();
          plan.for_each_piece(cta.block().x, [&](const Plan::Piece& piece) {
            for (int at = piece.first; at < piece.last; ++at) {
              dma.load(maps.x, inputs_of(p, at));
            }
          });
        });
  }
};

}  // namespace linear
