#pragma once

/// The kernel: four warpgroups multiply and scale, a warp loads W, and another one X.

#include "../../attention/head_tile.hpp"
#include "../cta.hpp"
#include "../parts.hpp"
#include "../plan.hpp"
#include "problem.hpp"
#include "warpgroup.hpp"

#include <dma/dma.hpp>

namespace linear::fp8 {

/// How a kernel takes its problem.
struct Form {
  int columns;        ///< rows of X, up to: a multiple of 8
  int row_groups;     ///< warpgroups side by side along n, 1 or 2 of the four; the others are side by side along k
  int slots;          ///< of W, and of X
  int registers = 0;  ///< of a computing thread; 0: as many as all have
  int cluster = 1;    ///< CTAs that have a tile and add it up in shared memory; 1: as many as the plan says, elsewhere
  bool weights_wait = false;  ///< whether a grid before may write W too

  /// The same, behind a grid that may write W.
  [[nodiscard]] constexpr Form behind_weights() const {
    Form waiting = *this;
    waiting.weights_wait = true;
    return waiting;
  }
};

/// The form for so many rows of X, with the slots that an SM has room for, up to five.
[[nodiscard]] constexpr Form form_of(int columns, Division division = Division::parts) {
  const bool is_narrow = division == Division::narrow_parts || division == Division::narrow_pairs;
  const bool is_paired = division == Division::pairs || division == Division::narrow_pairs;
  const int row_groups = is_narrow ? 1 : 2;
  constexpr int room = 225 * 1024;  // beside barriers
  const int slot = 4 * 64 * block + columns * block * 4 / row_groups;
  const int sums = columns * 256 * (is_paired ? 4 : 4 - row_groups);
  const int slots = (room - sums) / slot;
  return {columns, row_groups, slots < 5 ? slots : 5, columns <= 32 ? 0 : 112, is_paired ? 2 : 1};
}

/// Boxes that follow one another along k, each of a block's numbers of so many rows.
template <int rows, class Indices>
struct Blocks;
template <int rows, int... I>
struct Blocks<rows, dma::stdlib::integer_sequence<int, I...>> {
  using Box = dma::Tile2D<Number, block, rows, attention::swizzled>;
  using Pattern = dma::Concat<dma::stdlib::conditional_t<(I >= 0), Box, void>...>;

  /// From number (`row`, `k`) of a matrix on, whose rows are `distance` numbers apart.
  [[nodiscard]] DMA_HOST_DEVICE static Pattern at(long long distance, int all_rows, int all_k, int row, int k) {
    return Pattern{Box{distance, all_rows, all_k, row, k + I * block}...};
  }
};

/// A tile of Y has the rows of X and 64 columns for each of the row groups.
template <Form form_>
struct ScaledLinear {
  using Taken = Problem;
  static constexpr Form form = form_;
  static_assert(form.row_groups == 1 || form.row_groups == 2,
                "linear::fp8::ScaledLinear: a form has one or two row groups of its four warpgroups; make row_groups 1 "
                "or 2");
  static constexpr int k_groups = 4 / form.row_groups;
  static constexpr int tile_rows = 64 * form.row_groups;  ///< of W
  static constexpr int unit = block * k_groups;           ///< k of a slot
  static constexpr int vectors = form.columns / 8;        ///< four sums each, of a thread's sums
  using Computing = dma::Compute<4, dma::Registers{form.registers}>;
  using Loading = dma::Dma<1, dma::Registers{form.registers == 0 ? 0 : 24}>;
  using Layout = dma::WarpLayout<Computing, Computing, Computing, Computing, Loading, Loading>;
  template <int rows>
  using BlocksOf = Blocks<rows, dma::stdlib::make_integer_sequence<int, k_groups>>;
  using BlocksOfW = BlocksOf<tile_rows>;
  using BlocksOfX = BlocksOf<form.columns>;
  using TileOfW = typename BlocksOfW::Pattern;
  using TileOfX = typename BlocksOfX::Pattern;
  using Weights =
      dma::DmaPipeline<TileOfW, dma::MultiBuffer<Layout, form.slots, dma::DmaGroups{.first = 0, .count = 1}>,
                       dma::CudaBarrier, dma::TensorCopy<>>;
  using Inputs = dma::DmaPipeline<TileOfX, dma::MultiBuffer<Layout, form.slots, dma::DmaGroups{.first = 1, .count = 1}>,
                                  dma::CudaBarrier, dma::TensorCopy<>>;
  using PartsOfTiles = Parts<vectors, form.row_groups, form.cluster>;
  static constexpr dma::KernelTraits traits{.programmatic_launch = true, .cluster = form.cluster};

  struct Shared {
    typename Inputs::Storage inputs;
    typename Weights::Storage weights;
    typename PartsOfTiles::Shared parts;
  };
  struct Maps {
    dma::TensorMap<TileOfW> w;
    dma::TensorMap<TileOfX> x;
  };

  [[nodiscard]] DMA_HOST_DEVICE static TileOfW weights_of(const Problem& p, int tile = 0, int at = 0) {
    return BlocksOfW::at(p.ldw, p.n, p.k, tile * tile_rows, at * unit);
  }
  [[nodiscard]] DMA_HOST_DEVICE static TileOfX inputs_of(const Problem& p, int at = 0) {
    return BlocksOfX::at(p.ldx, p.m, p.k, 0, at * unit);
  }
  /// Of W, that the L2 fetches at a time. Rows that begin on its lines come two lines at a time: two blocks.
  [[nodiscard]] static int l2_bytes_of(const Problem& p) { return p.ldw % 256 == 0 ? 256 : 128; }
  [[nodiscard]] DMA_HOST_DEVICE static Plan plan_of(const Problem& p, int most_ctas) {
    return make_plan((p.n + tile_rows - 1) / tile_rows, (p.k + unit - 1) / unit, most_ctas, form.cluster);
  }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<ScaledLinear>& cta, const Maps& maps, const Problem& p,
                                  const Plan& plan, const Workspace& workspace) const {
    multiply_in_cta(cta, maps, p, plan, workspace, [&](Weights& weights, Inputs& inputs) {
      cta.grid_dependency_wait();  // for the scales of X
      return Warpgroup<ScaledLinear>(cta, weights, inputs, p);
    });
  }
};

}  // namespace linear::fp8
