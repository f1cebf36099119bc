#include "plan.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace gemm {

namespace {

[[nodiscard]] int tiles_of(int extent, int tile) { return (extent + tile - 1) / tile; }

/// Tiles of a column of C that run at the same time, about, with half as many of a row, which are twice as wide.
constexpr int rows_of_wave = 16;

/// The band in which a wave, a tile of each of `ctas`, is a rectangle: of all columns of C, or of a part that divides
/// them. Its tiles then read the fewest rows of A and B. 0 if no band is of 8 to 16 tiles, `down` of which a cluster
/// has.
[[nodiscard]] int band_of_rectangles(int ctas, int across, int down) {
  for (int band = rows_of_wave / down; 2 * band >= rows_of_wave / down; --band) {
    const int columns = ctas / band;
    if (ctas % band == 0 && (across % columns == 0 || columns % across == 0)) {
      return band;
    }
  }
  return 0;
}

/// The fewest CTAs that take no more waves than `most`, and whose waves are rectangles. If there are none, as many as
/// have a tile.
[[nodiscard]] int ctas_of(const Plan& plan, int most) {
  const int tiles = plan.tiles();
  const int all = std::min(most, tiles);
  for (int ctas = tiles_of(tiles, tiles_of(tiles, most)); ctas < all; ++ctas) {
    if (band_of_rectangles(ctas, plan.across, plan.shape.down) > 0) {
      return ctas;
    }
  }
  return all;
}

}  // namespace

Plan make_plan(int m, int n, int k, int ctas, TileShape shape, int streamed_tiles) {
  if (ctas < 1) {
    throw std::invalid_argument("gemm: a plan of " + std::to_string(ctas) + " CTAs; give at least one");
  }
  if (shape.is_transposed) {
    std::swap(m, n);
  }
  Plan plan{.shape = shape,
            .down = tiles_of(m, shape.rows * shape.down),
            .across = tiles_of(n, shape.columns * shape.across),
            .band = rows_of_wave * 3 / 4 / shape.down,
            .ctas = ctas,
            .divided = {streamed_tiles, tiles_of(k, block), ctas}};
  if (const int band = band_of_rectangles(ctas, plan.across, shape.down); band > 0) {
    plan.band = band;
  }
  if (plan.whole() < 0) {
    throw std::invalid_argument("gemm: C has " + std::to_string(plan.tiles()) + " tiles, and " +
                                std::to_string(streamed_tiles) + " are to be divided; divide fewer");
  }
  if (shape.deep > 1 && (streamed_tiles > 0 || plan.tiles() > ctas || plan.blocks() < shape.deep)) {
    throw std::invalid_argument("gemm: a cluster divides the k of one tile, and there are " +
                                std::to_string(plan.tiles()) + " tiles of " + std::to_string(plan.blocks()) +
                                " blocks for " + std::to_string(ctas) + " clusters; use another tile shape");
  }
  const int streamed = plan.divided.units();
  if (streamed_tiles > 0 && ((streamed < ctas && !plan.adds_later()) || !plan.divided.fits())) {
    throw std::invalid_argument("gemm: " + std::to_string(streamed_tiles) + " tiles have " + std::to_string(streamed) +
                                " blocks of k, too few or too many for " + std::to_string(ctas) +
                                " CTAs; use fewer CTAs");
  }
  if (plan.adds_later() && streamed < ctas * least_share) {
    plan.divided.ctas = std::max(1, streamed / least_share);
  }
  return plan;
}

namespace {

/// What a tile shape takes on an H200, in microseconds: found by measuring C of 512 x 512 to 8192 x 8192.
struct TileCost {
  TileShape shape;
  double of_block;     ///< 64 products of each sum
  double of_tile;      ///< epilogue and start
  double of_part = 0;  ///< to leave the sums of a tile, and to add them up: where its last CTA does
  double bytes_a_microsecond = 3.5e6;
};
constexpr TileCost tile_costs[] = {
    {{128, 256}, 0.655, 2.0, 1.6, 3.3e6},
    {{128, 192}, 0.50, 1.5, 1.2, 3.3e6},
    {{128, 128}, 0.345, 1.2, 1.4, 3.3e6},
    {{128, 144}, 0.41, 1.7, 1.2, 3.3e6},
    {{128, 64}, 0.26, 0.9, 1.1, 3.6e6},
    {{64, 64}, 0.20, 0.9, 0.6, 3.75e6},
    {{128, 96, true}, 0.32, 1.5, 1.2, 3.5e6},
    {{64, 16, true}, 0.20, 0.9, 0.3},
    {{.rows = 128, .columns = 256, .down = 2}, 0.66, 2.6},
    {{.rows = 128, .columns = 208, .down = 2}, 0.55, 2.3},
    {{.rows = 128, .columns = 192, .down = 2}, 0.505, 1.8},
    {{.rows = 128, .columns = 128, .down = 2}, 0.333, 1.45},
    {.shape = {.rows = 128, .columns = 128, .down = 4}, .of_block = 0.33, .of_tile = 1.2, .bytes_a_microsecond = 3.5e6},
    {{.rows = 128, .columns = 72, .across = 2}, 0.28, 0.9},
    {{.rows = 128, .columns = 64, .across = 4}, 0.26, 0.9},
    {.shape = {.rows = 128, .columns = 128, .deep = 2},
     .of_block = 0.345,
     .of_tile = 2.2,
     .bytes_a_microsecond = 3.75e6}};
constexpr double launch_cost = 1.5;
constexpr double cluster_launch_cost = 1;  ///< more, where CTAs wait for each other before they begin
/// Of the launch that adds up the parts of clusters, and of those parts.
constexpr double adding_launch_cost = 3.5;
constexpr double added_bytes_a_microsecond = 2.8e6;
/// Of a row of a block that does not begin on a line of the L2, so that two lines are read for it: where both SMs of a
/// TPC load, and where one does.
constexpr double unaligned_row_cost = 0.0024;
constexpr double unaligned_row_cost_of_few = 0.0016;
constexpr double unaligned_row_cost_of_clusters = 0.0023;
/// Of a block of 64 rows or more, for the part of its box that is outside the matrix of `m` rows.
constexpr double outside_cost = 0.24;

/// Of the L2 of an H200, and of what all CTAs read of B between two bands, so much of it that A stays there too.
constexpr double l2_bytes = 50e6;
constexpr double kept_bytes = l2_bytes / 2;

/// Whether B is no longer in the L2 when the next band needs it, but the columns that CTAs read at the same time are.
bool streams(const Plan& plan, double bytes_of_b) {
  const double columns_at_a_time = 1.0 * plan.ctas / std::min(plan.band, plan.down);
  return bytes_of_b > l2_bytes && columns_at_a_time * bytes_of_b / plan.across <= kept_bytes;
}

/// Clusters that run at a time: a GPC of an H200 has 16 or 18 SMs, of which clusters of 4 leave some without work.
int resident(const TileShape& shape, int sms) {
  return shape.ctas() <= 2 ? sms / shape.ctas() : sms * 10 / (11 * shape.ctas());
}

/// Of a block, where so many CTAs run.
double block_cost(const TileCost& tile, int ctas, bool are_aligned, double outside, int sms) {
  const TileShape& shape = tile.shape;
  const int rows = shape.rows / shape.across + shape.columns / shape.down;
  const double of_many = shape.ctas() > 1 ? unaligned_row_cost_of_clusters : unaligned_row_cost;
  const double unaligned = 2 * ctas > sms ? of_many : unaligned_row_cost_of_few;
  return std::max(tile.of_block, are_aligned ? 0 : unaligned * rows) + outside * outside_cost;
}

/// The tiles that clusters divide: all where they are few, or none, or the few of a last wave. Those pay where rows are
/// not aligned, and so whole tiles are of clusters too.
int divided_by_clusters(const Plan& whole, int most, bool are_aligned) {
  const int last = whole.tiles() % most;
  const bool is_last_wave_short = whole.tiles() > most && !are_aligned && last * whole.blocks() <= most * least_share;
  return whole.tiles() <= most / 2 || is_last_wave_short ? last : 0;
}
/// To leave the parts of the tiles of clusters, and to add them up.
double adding_cost(const Plan& plan) {
  return adding_launch_cost +
         4.0 * plan.divided.ctas * plan.shape.ctas() * plan.shape.rows * plan.shape.columns / added_bytes_a_microsecond;
}

}  // namespace

Plan make_plan(int m, int n, int k, int sms, bool are_aligned) {
  const double bytes = 2 * (1.0 * m * k + 1.0 * n * k + 1.0 * m * n);
  Plan best{};
  double least = 0;
  for (const TileCost& tile : tile_costs) {
    const TileShape& shape = tile.shape;
    const bool is_of_clusters = shape.ctas() > 1;
    const int most = resident(shape, sms);
    const int tiles_of_c = tiles_of(m, shape.rows * shape.down) * tiles_of(n, shape.columns * shape.across);
    if ((most == 0 && is_of_clusters) || (shape.deep > 1 && (tiles_of_c > most || tiles_of(k, block) < shape.deep))) {
      continue;
    }
    const Plan whole = make_plan(m, n, k, most, shape, 0);
    const int tiles = whole.tiles();
    const int rows_loaded = shape.is_transposed ? whole.across * shape.columns : whole.down * shape.down * shape.rows;
    const double outside = (1 - static_cast<double>(m) / rows_loaded) * (shape.is_transposed ? 0.25 : 1);
    /// @param waves   tiles of a CTA, of `blocks` blocks each
    /// @param others  blocks of a tile that it divides with others
    const auto consider = [&](int ctas, int divided, int waves, int blocks, int others, double extra) {
      const double of_block = block_cost(tile, ctas * shape.ctas(), are_aligned, outside, sms);
      const double multiplying =
          waves * (blocks * of_block + tile.of_tile) + (others > 0 ? others * of_block + tile.of_tile : 0);
      const double cost = launch_cost + (is_of_clusters ? cluster_launch_cost : 0) + extra +
                          std::max(bytes / tile.bytes_a_microsecond, multiplying);
      if (best.ctas == 0 || cost < least) {
        least = cost;
        best = make_plan(m, n, k, ctas, shape, divided);
      }
    };
    consider(ctas_of(whole, most), 0, tiles_of(tiles, most), tiles_of(whole.blocks(), shape.deep), 0, 0);
    for (int parts = 2; !is_of_clusters && parts <= 16 && parts * tiles <= sms && parts * 4 <= whole.blocks();
         parts *= 2) {
      consider(parts * tiles, tiles, 1, tiles_of(whole.blocks(), parts), 0, 1 + tile.of_part * parts);
    }
    if (const int divided = is_of_clusters && shape.deep == 1 ? divided_by_clusters(whole, most, are_aligned) : 0;
        divided > 0) {
      const int clusters = tiles < most ? most / tiles * tiles : most;
      const Plan plan = make_plan(m, n, k, clusters, shape, divided);
      consider(clusters, divided, tiles / most, whole.blocks(), tiles_of(plan.divided.units(), plan.divided.ctas),
               adding_cost(plan));
    }
  }
  best.shape.streams = best.shape == TileShape{128, 256} && streams(best, 2.0 * n * k);
  return best;
}

std::string describe(const Plan& plan) {
  const TileShape& shape = plan.shape;
  std::string text = std::to_string(plan.tiles() * shape.down * shape.across) + " tiles of " +
                     std::to_string(shape.rows) + " x " + std::to_string(shape.columns) +
                     (shape.is_transposed ? " of the transpose" : "") + ", " +
                     std::to_string(plan.ctas * shape.ctas()) + " CTAs";
  if (shape.ctas() > 1) {
    text += " in clusters of " + std::to_string(shape.ctas());
    text += shape.deep > 1 ? " that divide k" : "";
  }
  text += shape.streams ? ", B not kept" : "";
  if (plan.has_divided()) {
    text += ", " + std::to_string(plan.divided.tiles * shape.ctas()) + " tiles divided";
    text += plan.adds_later() ? " and added later" : "";
  }
  return text;
}

}  // namespace gemm
