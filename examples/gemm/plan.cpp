#include "plan.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace gemm {

Plan make_plan(int m, int n, int k, int ctas, TileShape shape, int streamed_tiles) {
  constexpr int band = 16;
  if (shape.is_transposed) {
    std::swap(m, n);
  }
  Plan plan{.shape = shape,
            .down = (m + shape.rows - 1) / shape.rows,
            .across = (n + shape.columns - 1) / shape.columns,
            .blocks = (k + block - 1) / block,
            .band = band,
            .ctas = ctas,
            .whole = 0};
  plan.whole = plan.tiles() - streamed_tiles;
  if (plan.whole < 0) {
    throw std::invalid_argument("gemm: C has " + std::to_string(plan.tiles()) + " tiles, and " +
                                std::to_string(streamed_tiles) + " are to be divided; divide fewer");
  }
  const int streamed = streamed_tiles * plan.blocks;
  if (streamed_tiles > 0 && streamed < ctas) {
    throw std::invalid_argument("gemm: " + std::to_string(streamed_tiles) + " tiles have " + std::to_string(streamed) +
                                " blocks of k, too few for " + std::to_string(ctas) + " CTAs; use fewer CTAs");
  }
  plan.share = streamed / ctas;
  plan.more = streamed % ctas;
  return plan;
}

namespace {

/// What a tile shape takes on an H200, in microseconds: found by measuring C of 512 x 512 to 8192 x 8192.
struct TileCost {
  TileShape shape;
  double of_block;  ///< 64 products of each sum
  double of_tile;   ///< epilogue and start
  double of_part;   ///< to leave the sums of a tile, and to add them up
};
constexpr TileCost tile_costs[] = {{{128, 256}, 0.66, 2.0, 1.6}, {{128, 192}, 0.50, 1.6, 1.2},
                                   {{128, 144}, 0.40, 1.4, 1.2}, {{128, 128}, 0.33, 1.2, 1.4},
                                   {{128, 64}, 0.26, 0.9, 0.6},  {{64, 64}, 0.20, 0.9, 0.3}};
constexpr double launch_cost = 1.5;
/// Of a row of a block that does not begin on a line of the L2, where all SMs load: two lines are read for it.
constexpr double unaligned_row_cost = 0.0024;
/// Of a block, for the part of A's box that is outside A.
constexpr double outside_cost = 0.24;
constexpr double bytes_a_microsecond = 3.5e6;

/// @param parts  CTAs that divide a tile, where there are fewer tiles than CTAs
double cost_of(const Plan& plan, const TileCost& tile, int parts, bool is_aligned, double outside, int sms) {
  const int ctas = std::min(plan.tiles() * parts, sms);
  const int waves = (plan.tiles() * parts + sms - 1) / sms;
  const int blocks = (plan.blocks + parts - 1) / parts;
  const int rows = tile.shape.rows + tile.shape.columns;
  const double unaligned = is_aligned ? 0 : unaligned_row_cost * rows * ctas / sms;
  const double of_block = std::max(tile.of_block, unaligned) + outside * outside_cost;
  return waves * (blocks * of_block + tile.of_tile);
}

}  // namespace

Plan make_plan(int m, int n, int k, int sms) {
  const double bytes = 2 * (1.0 * m * k + 1.0 * n * k + 1.0 * m * n);
  Plan best{};
  double least = 0;
  for (const TileCost& tile : tile_costs) {
    const Plan whole = make_plan(m, n, k, sms, tile.shape, 0);
    const double outside = 1 - static_cast<double>(m) / (whole.down * tile.shape.rows);
    for (int parts = 1; parts <= 16 && (parts == 1 || (parts * whole.tiles() <= sms && parts * 4 <= whole.blocks));
         parts *= 2) {
      const double extra = parts == 1 ? 0 : 1 + tile.of_part * parts;
      const double cost = launch_cost + extra +
                          std::max(bytes / bytes_a_microsecond, cost_of(whole, tile, parts, k % 64 == 0, outside, sms));
      if (best.ctas == 0 || cost < least) {
        least = cost;
        best = make_plan(m, n, k, std::min(sms, whole.tiles() * parts), tile.shape, parts == 1 ? 0 : whole.tiles());
      }
    }
  }
  return best;
}

std::string describe(const Plan& plan) {
  std::string text = std::to_string(plan.tiles()) + " tiles of " + std::to_string(plan.shape.rows) + " x " +
                     std::to_string(plan.shape.columns) + ", " + std::to_string(plan.ctas) + " CTAs";
  if (plan.has_divided()) {
    text += ", " + std::to_string(plan.tiles() - plan.whole) + " tiles divided";
  }
  if (plan.shape.is_transposed) {
    text += ", transposed";
  }
  return text;
}

}  // namespace gemm
