#pragma once

/// Tiles of which several CTAs have summed a stretch of k each: the last of them adds up, or a second launch does.

#include "plan.hpp"
#include "problem.hpp"
#include "results.hpp"

#include <dma/dma.hpp>
#include <dma/matrix/sums.hpp>

#include <cstddef>

namespace gemm {

/// Arrays in global memory of which launches that may overlap, on two streams, need one each.
struct Workspace {
  dma::Vector<float>* sums = nullptr;       ///< `sums_of(plan)`: room for two parts of a tile for each CTA
  dma::ArrivalCounter* arrivals = nullptr;  ///< `counters_of(plan)`: one a divided tile, zero before and after
};

/// Vectors of `Workspace::sums` and elements of `Workspace::arrivals` that a plan needs.
[[nodiscard]] inline std::size_t sums_of(const Plan& plan) {
  return !plan.has_divided()
             ? 0
             : static_cast<std::size_t>(2 * plan.ctas * plan.shape.ctas() * plan.shape.rows * plan.shape.columns / 4);
}
[[nodiscard]] inline std::size_t counters_of(const Plan& plan) {
  return plan.adds_later ? 0 : static_cast<std::size_t>(plan.tiles() - plan.whole);
}

/// Where CTA `cta` leaves the sums of a part, of a cluster its CTA `rank`. It has at most one part that begins with a
/// tile and ends within it, and one that begins within a tile.
[[nodiscard]] DMA_HOST_DEVICE dma::Vector<float>* part_at(const Plan& plan, const Workspace& workspace, int cta,
                                                          int rank, bool begins_tile) {
  return workspace.sums + ((cta * 2LL + (begins_tile ? 0 : 1)) * plan.shape.ctas() + rank) *
                              (plan.shape.rows * plan.shape.columns / 4);
}

/// Leaves this CTA's sums of a piece in the workspace. Collective over the compute warps.
///
/// @param m  rows of C: a thread whose rows are all beyond them leaves nothing
/// @param cta, rank  see `part_at`
template <class Compute, int columns>
DMA_HOST_DEVICE void leave_part(const Compute& compute, const dma::MatrixSums<64, columns>& sums, const Plan& plan,
                                const Piece& piece, int row, int m, const Workspace& workspace, int cta, int rank) {
  if (row + sums.row_of(sums.thread(), 0) < m) {
    dma::Vector<float>* const mine = part_at(plan, workspace, cta, rank, piece.first == 0) + compute.rank();
    dma::unrolled<columns / 8>([&](auto i) {
      const float* const four = sums.values + 4 * i;
      mine[i * Compute::size()] = {four[0], four[1], four[2], four[3]};
    });
  }
}

/// Leaves this CTA's sums as `leave_part` does. In the last CTA of the piece's tile it returns true, and `sums` then are
/// those of the whole tile, added up in order of k whichever CTA is the last. Collective over the compute warps.
template <class Compute, int columns>
[[nodiscard]] DMA_HOST_DEVICE bool add_parts(const Compute& compute, dma::MatrixSums<64, columns>& sums,
                                             const Plan& plan, const Piece& piece, int row, int m,
                                             const Workspace& workspace, int cta, dma::ArrivalCounter& shared) {
  const int divided = piece.tile - plan.whole;
  const int parts = plan.parts_of(divided);
  leave_part(compute, sums, plan, piece, row, m, workspace, cta, 0);
  if (!dma::is_last_cta(compute, workspace.arrivals[divided], parts, shared)) {
    return false;
  }
  // Part by part, so that many loads are in flight together.
  const auto for_each_four = [&](int part, const auto& body) {
    const dma::Vector<float>* const other =
        part_at(plan, workspace, plan.first_cta_of(divided) + part, 0, part == 0) + compute.rank();
    dma::unrolled<columns / 8>([&](auto i) {
      const dma::Vector<float> four = other[i * Compute::size()];
      dma::unrolled<4>([&](auto j) { body(sums.values[4 * i + j], four[j]); });
    });
  };
  if (row + sums.row_of(sums.thread(), 0) < m) {
    for_each_four(0, [](float& sum, float value) { sum = value; });
    for (int part = 1; part < parts; ++part) {
      for_each_four(part, [](float& sum, float value) { sum += value; });
    }
  }
  return true;
}

/// The second launch of a plan that adds later: a CTA for each 64 rows and 8 columns of the divided tiles.
template <class Type, TileShape tile>
struct PartsAdded {
  using Element = Type;
  using Layout = dma::WarpLayout<dma::Compute<4>>;
  static constexpr dma::KernelTraits traits{.programmatic_launch = true};
  static constexpr TileShape slice{.rows = 64, .columns = 8, .is_transposed = tile.is_transposed};
  static constexpr int slices = tile.columns / slice.columns;
  static constexpr int groups = tile.rows / slice.rows;
  static constexpr int together = 16;  ///< parts whose loads are in flight together

  [[nodiscard]] static int ctas(const Plan& plan) {
    return (plan.tiles() - plan.whole) * tile.ctas() * groups * slices;
  }

  DMA_HOST_DEVICE void operator()(dma::KernelCta<PartsAdded>& cta, const Problem<Element>& p, const Plan& plan,
                                  const Workspace& workspace) const {
    cta.trigger_dependent_launch();
    cta.grid_dependency_wait();
    const int at = cta.block().x / slices;
    const int group = at % groups;
    const int rank = at / groups % tile.ctas();
    const int divided = at / groups / tile.ctas();
    const int column_in_tile = cta.block().x % slices * slice.columns;
    const int row = plan.row_of(plan.whole + divided) + (tile.down > 1 ? rank * tile.rows : 0) + 64 * group;
    const int column =
        plan.column_of(plan.whole + divided) + (tile.across > 1 ? rank * tile.columns : 0) + column_in_tile;
    const int first = plan.first_cta_of(divided);
    const int parts = plan.parts_of(divided);
    dma::MatrixSums<64, slice.columns> sums;
    if (parts == 1 || row + sums.row_of(sums.thread(), 0) >= p.m) {
      return;  // one CTA had the tile to itself
    }
    const int own = column_in_tile / slice.columns * 128 * groups + 128 * group + sums.thread();
    for (int part = 0; part < parts; part += together) {
      dma::Vector<float> some[together];
      dma::unrolled<together>([&](auto i) {
        const int other = part + i < parts ? part + i : parts - 1;
        some[i] = part_at(plan, workspace, first + other, rank, other == 0)[own];
      });
      dma::unrolled<together>([&](auto i) {
        dma::unrolled<4>([&](auto j) { sums.values[j] += part + i < parts ? some[i][j] : 0; });
      });
    }
    Results<Element, slice>(p, row, column).write(sums);
  }
};

}  // namespace gemm
