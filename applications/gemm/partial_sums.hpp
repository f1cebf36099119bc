#pragma once

/// Tiles of which several CTAs have summed a stretch of k each: the last of them adds up, or a second launch does.

#include "plan.hpp"

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
  return plan.adds_later() ? 0 : static_cast<std::size_t>(plan.divided.tiles);
}

/// Where CTA `cta` leaves the sums of a part, of a cluster its CTA `rank`. It has at most one part that begins with a
/// tile and ends within it, and one that begins within a tile.
[[nodiscard]] DMA_HOST_DEVICE dma::Vector<float>* part_at(const Plan& plan, const Workspace& workspace, int cta,
                                                          int rank, bool begins_tile) {
  return workspace.sums +
         ((cta * 2LL + (begins_tile ? 0 : 1)) * plan.shape.ctas() + rank) * (plan.shape.rows * plan.shape.columns / 4);
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

/// Leaves this CTA's sums as `leave_part` does. In the last CTA of the piece's tile it returns true, and `sums` then
/// are those of the whole tile, added up in order of k whichever CTA is the last. Collective over the compute warps.
template <class Compute, int columns>
[[nodiscard]] DMA_HOST_DEVICE bool add_parts(const Compute& compute, dma::MatrixSums<64, columns>& sums,
                                             const Plan& plan, const Piece& piece, int m, const Workspace& workspace,
                                             int cta, dma::ArrivalCounter& shared) {
  const int divided = piece.tile - plan.whole();
  const int parts = plan.divided.parts_of(divided);
  const int row = piece.row + 64 * compute.group();
  leave_part(compute, sums, plan, piece, row, m, workspace, cta, 0);
  if (!dma::is_last_cta(compute, workspace.arrivals[divided], parts, shared)) {
    return false;
  }
  // Part by part, so that many loads are in flight together.
  const auto for_each_four = [&](int part, const auto& body) {
    const dma::Vector<float>* const other =
        part_at(plan, workspace, plan.divided.first_cta_of(divided) + part, 0, part == 0) + compute.rank();
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

}  // namespace gemm
