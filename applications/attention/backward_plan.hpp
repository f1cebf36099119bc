#pragma once

/// How the backward pass is divided among CTAs: a tile of keys each.

#include "backward_problem.hpp"

#include <dma/dma.hpp>

#if !defined(__CUDACC_RTC__)
#include <string>
#endif

namespace attention {

/// A tile of keys of a head of K and V, and the queries that see them: in each head of Q that reads it, steps `first`
/// to the last.
struct KeyPiece {
  int batch;
  int kv_head;
  int row;    ///< the first key
  int first;  ///< the first step of a head
  int steps;  ///< of a head; none where no query sees a key
};

/// Tile by tile within a head, those that most queries see first.
struct BackwardPlan {
  int batches;
  int heads;
  int kv_heads;
  int queries;
  int keys;
  bool causal;
  int rows;  ///< keys of a tile

  [[nodiscard]] DMA_HOST_DEVICE constexpr int tiles_of_head() const { return (keys + rows - 1) / rows; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int tiles() const { return batches * kv_heads * tiles_of_head(); }
  [[nodiscard]] DMA_HOST_DEVICE constexpr KeyPiece piece_of(int tile) const {
    const int head = tile / tiles_of_head();
    const int row = tile % tiles_of_head() * rows;
    const int end = (queries + step_queries - 1) / step_queries;
    const int query = row - (keys - queries);  // the first that sees a key
    const int step = !causal || query < 0 ? 0 : query / step_queries;
    const int first = step < end ? step : end;
    return {head / kv_heads, head % kv_heads, row, first, end - first};
  }
};

#if !defined(__CUDACC_RTC__)
/// For example "2048 tiles of 128 keys, steps of 64 queries".
[[nodiscard]] inline std::string describe(const BackwardPlan& plan) {
  return std::to_string(plan.tiles()) + " tiles of " + std::to_string(plan.rows) + " keys, steps of " +
         std::to_string(step_queries) + " queries";
}
#endif

}  // namespace attention
