#pragma once

/// Tiles of which several CTAs have summed a stretch of k each: the last of them adds up.

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
  return !plan.has_divided() ? 0 : static_cast<std::size_t>(2 * plan.ctas * plan.shape.rows * plan.shape.columns / 4);
}
[[nodiscard]] inline std::size_t counters_of(const Plan& plan) {
  return static_cast<std::size_t>(plan.tiles() - plan.whole);
}

/// Leaves this CTA's sums of a piece in the workspace. In the last CTA of the piece's tile it returns true, and `sums`
/// then are those of the whole tile, added up in order of k whichever CTA is the last. Collective over the compute
/// warps.
///
/// @param m  rows of C: a thread whose rows are all beyond them leaves nothing
template <class Compute, int columns>
[[nodiscard]] DMA_HOST_DEVICE bool add_parts(const Compute& compute, dma::MatrixSums<64, columns>& sums,
                                             const Plan& plan, const Piece& piece, int m, const Workspace& workspace,
                                             int cta, dma::ArrivalCounter& shared) {
  constexpr int vectors = columns / 8;  // of a thread
  const int tile = piece.tile - plan.whole;
  const int first = plan.cta_of(tile * plan.blocks);
  const int parts = plan.cta_of((tile + 1) * plan.blocks - 1) - first + 1;
  const bool has_rows = piece.row + 64 * compute.group() + sums.row_of(sums.thread(), 0) < m;
  // A CTA has at most one part that begins within a tile, and one that begins with a tile and ends within it.
  const auto part_at = [&](int part) {
    return workspace.sums + ((first + part) * 2LL + (part == 0 ? 0 : 1)) * (vectors * Compute::size()) + compute.rank();
  };
  if (has_rows) {
    dma::Vector<float>* const mine = part_at(cta - first);
    dma::unrolled<vectors>([&](auto i) {
      const float* const four = sums.values + 4 * i;
      mine[i * Compute::size()] = {four[0], four[1], four[2], four[3]};
    });
  }
  if (!dma::is_last_cta(compute, workspace.arrivals[tile], parts, shared)) {
    return false;
  }
  // Part by part, so that many loads are in flight together.
  const auto for_each_four = [&](int part, const auto& body) {
    const dma::Vector<float>* const other = part_at(part);
    dma::unrolled<vectors>([&](auto i) {
      const dma::Vector<float> four = other[i * Compute::size()];
      dma::unrolled<4>([&](auto j) { body(sums.values[4 * i + j], four[j]); });
    });
  };
  if (has_rows) {
    for_each_four(0, [](float& sum, float value) { sum = value; });
    for (int part = 1; part < parts; ++part) {
      for_each_four(part, [](float& sum, float value) { sum += value; });
    }
  }
  return true;
}

}  // namespace gemm
