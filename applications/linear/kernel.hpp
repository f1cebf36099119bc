#pragma once

/// The kernel: four warpgroups unpack weights and multiply, a warp loads these, and another one X.

#include "../attention/head_tile.hpp"
#include "cta.hpp"
#include "packing.hpp"
#include "parts.hpp"
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
  int cluster = 1;    ///< CTAs that have a tile and add it up in shared memory; 1: as many as the plan says, elsewhere
  bool weights_wait = false;  ///< whether a grid before may write the weights too
  int bits = 4;               ///< of a number, 4 or 8

  /// The same, behind a grid that may write the weights.
  [[nodiscard]] constexpr Form behind_weights() const {
    Form waiting = *this;
    waiting.weights_wait = true;
    return waiting;
  }
};

/// The form for so many rows of X, with the slots that an SM has room for, up to five: more are slower on an H200.
[[nodiscard]] constexpr Form form_of(int columns, int group = 128, bool has_zeros = false,
                                     Division division = Division::parts, int bits = 4) {
  const bool is_narrow = division == Division::narrow_parts || division == Division::narrow_pairs;
  const bool is_paired = division == Division::pairs || division == Division::narrow_pairs;
  const int row_groups = is_narrow ? 1 : 2;
  constexpr int room = 225 * 1024;  // beside barriers
  const int slot =
      4 * (64 * 128 * bits / 8 + 128 / group * 64 * (has_zeros ? 4 : 2)) + columns * 2 * 128 * 4 / row_groups;
  const int sums = columns * 256 * (is_paired ? 4 : 4 - row_groups);
  const int slots = (room - sums) / slot;
  return {.columns = columns,
          .group = group,
          .has_zeros = has_zeros,
          .row_groups = row_groups,
          .slots = slots < 5 ? slots : 5,
          .registers = columns <= 32 ? 0 : 112,
          .cluster = is_paired ? 2 : 1,
          .bits = bits};
}

/// A tile of Y has the rows of X and 64 columns for each of the row groups.
template <class Type, Form form_>
struct Linear {
  using Element = Type;
  using Taken = Problem<Element>;
  static constexpr Form form = form_;
  static_assert(form.row_groups == 1 || form.row_groups == 2,
                "linear::Linear: a form has one or two row groups of its four warpgroups; make row_groups 1 or 2");
  static_assert(form.bits == 4 || form.bits == 8,
                "linear::Linear: the numbers of a form have 4 or 8 bits; make bits 4 or 8");
  using Of = Block<form.group, form.has_zeros, form.bits>;
  static constexpr int k_groups = 4 / form.row_groups;
  static constexpr int tile_rows = Of::rows * form.row_groups;  ///< of W
  static constexpr int unit = Of::k * k_groups;                 ///< k of a slot
  static constexpr int vectors = form.columns / 8;              ///< four sums each, of a thread's sums
  using Computing = dma::Compute<4, dma::Registers{form.registers}>;
  using Loading = dma::Dma<1, dma::Registers{form.registers == 0 ? 0 : 24}>;
  using Layout = dma::WarpLayout<Computing, Computing, Computing, Computing, Loading, Loading>;
  /// Blocks along k of one box, whose lines are at most 256.
  static constexpr int boxed = Of::lines * k_groups <= 256 ? k_groups : k_groups / 2;
  using BoxOfW =
      dma::Tile3D<Element, dma::TileShape{.cols = Of::line, .rows = Of::lines* boxed, .planes = form.row_groups},
                  dma::RowLayout{.alignment = 16}>;
  using TileOfW = dma::stdlib::conditional_t<boxed == k_groups, BoxOfW, dma::Concat<BoxOfW, BoxOfW>>;
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

  [[nodiscard]] DMA_HOST_DEVICE static TileOfW weights_of(const Problem<Element>& p, int tile = 0, int at = 0) {
    const int blocks = blocks_along_k(p.k);
    const auto box_at = [&](int block) {
      return BoxOfW{Of::line * 2LL,
                    static_cast<long long>(blocks) * Of::elements * 2,
                    blocks_along_n(p.n),
                    blocks * Of::lines,
                    Of::line,
                    tile * form.row_groups,
                    block * Of::lines,
                    0};
    };
    if constexpr (boxed == k_groups) {
      return box_at(at * k_groups);
    } else {
      return TileOfW(box_at(at * k_groups), box_at(at * k_groups + boxed));
    }
  }
  [[nodiscard]] DMA_HOST_DEVICE static TileOfX inputs_of(const Problem<Element>& p, int at = 0) {
    return {p.ldx * 2, 64 * 2, p.k / 64, p.m, 64, at * (unit / 64), 0, 0};
  }
  /// Of weights, that the L2 fetches at a time.
  [[nodiscard]] static int l2_bytes_of(const Problem<Element>&) { return 128; }
  [[nodiscard]] DMA_HOST_DEVICE static Plan plan_of(const Problem<Element>& p, int most_ctas) {
    const int tiles = (p.n + tile_rows - 1) / tile_rows;
    return make_plan(tiles, (p.k + unit - 1) / unit, most_ctas, form.cluster);
  }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Linear>& cta, const Maps& maps, const Problem<Element>& p,
                                  const Plan& plan, const Workspace& workspace) const {
    multiply_in_cta(cta, maps, p, plan, workspace, [&](Weights& weights, Inputs& inputs) {
      return Warpgroup<Linear>(weights, inputs, p);  // waits for X, which is behind the grid before
    });
  }
};

}  // namespace linear
