#include "plan.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace gemm {

Plan make_plan(int m, int n, int k, int ctas, int tile_columns, int streamed_tiles) {
  constexpr int band = 16;
  Plan plan{.tile_columns = tile_columns,
            .down = (m + tile_rows - 1) / tile_rows,
            .across = (n + tile_columns - 1) / tile_columns,
            .blocks = (k + block - 1) / block,
            .band = band,
            .ctas = ctas,
            .whole = 0};
  plan.whole = plan.tiles() - streamed_tiles;
  const int streamed = streamed_tiles * plan.blocks;
  if (streamed_tiles > 0 && streamed < ctas) {
    throw std::invalid_argument("gemm: " + std::to_string(streamed_tiles) + " tiles have " + std::to_string(streamed) +
                                " blocks of k, too few for " + std::to_string(ctas) + " CTAs; use fewer CTAs");
  }
  plan.share = streamed / ctas;
  plan.more = streamed % ctas;
  return plan;
}

Plan make_plan(int m, int n, int k, int sms) {
  const Plan wide = make_plan(m, n, k, sms, 256, 0);
  return wide;
}

std::string describe(const Plan& plan) {
  std::string text = std::to_string(plan.tiles()) + " tiles of " + std::to_string(tile_rows) + " x " +
                     std::to_string(plan.tile_columns) + ", " + std::to_string(plan.ctas) + " CTAs";
  if (plan.has_divided()) {
    text += ", " + std::to_string(plan.tiles() - plan.whole) + " tiles divided";
  }
  return text;
}

}  // namespace gemm
