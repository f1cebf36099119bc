#pragma once

/// The second launch of a plan whose divided tiles are those of clusters.

#include "partial_sums.hpp"
#include "plan.hpp"
#include "problem.hpp"
#include "results.hpp"

#include <dma/dma.hpp>
#include <dma/matrix/sums.hpp>

namespace gemm {

/// Adds up the parts of the divided tiles, in order of k: a CTA for each 64 rows and 8 columns.
template <class Type, TileShape tile>
struct AddParts {
  using Element = Type;
  using Layout = dma::WarpLayout<dma::Compute<4>>;
  static constexpr dma::KernelTraits traits{.programmatic_launch = true};
  static constexpr TileShape slice{.rows = 64, .columns = 8};
  static constexpr int slices = tile.columns / slice.columns;
  static constexpr int groups = tile.rows / slice.rows;
  static constexpr int together = 16;  ///< parts whose loads are in flight together

  [[nodiscard]] static int ctas(const Plan& plan) { return plan.divided.tiles * tile.ctas() * groups * slices; }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<AddParts>& cta, const Problem<Element>& p, const Plan& plan,
                                  const Workspace& workspace) const {
    cta.trigger_dependent_launch();
    cta.grid_dependency_wait();
    const int at = cta.block().x / slices;
    const int group = at % groups;
    const int rank = at / groups % tile.ctas();
    const int divided = at / groups / tile.ctas();
    const int column_in_tile = cta.block().x % slices * slice.columns;
    const int row = plan.row_of(plan.whole() + divided) + (tile.down > 1 ? rank * tile.rows : 0) + 64 * group;
    const int column =
        plan.column_of(plan.whole() + divided) + (tile.across > 1 ? rank * tile.columns : 0) + column_in_tile;
    const int first = plan.divided.first_cta_of(divided);
    const int parts = plan.divided.parts_of(divided);
    dma::MatrixSums<64, slice.columns> sums;
    if (parts == 1 || row + sums.row_of(sums.thread(), 0) >= p.m) {
      return;  // one CTA had the tile to itself
    }
    const int own = column_in_tile / slice.columns * 128 * groups + 128 * group + sums.thread();
    for (int part = 0; part < parts; part += together) {
      dma::Vector<float> some[together];
      dma::unrolled<together>([&](auto i) {
        if (part + i < parts) {
          some[i] = part_at(plan, workspace, first + part + i, rank, part + i == 0)[own];
        }
      });
      dma::unrolled<together>(
          [&](auto i) { dma::unrolled<4>([&](auto j) { sums.values[j] += i < parts - part ? some[i][j] : 0; }); });
    }
    Results<Element, slice>(p, row, column).write(sums);
  }
};

}  // namespace gemm
