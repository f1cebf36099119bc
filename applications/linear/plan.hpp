#pragma once

/// How the products are divided among CTAs.

#include "../stream_k.hpp"

#include <dma/dma.hpp>

namespace linear {

/// How CTAs divide the tiles of Y.
enum class Division {
  parts,         ///< as `Plan` says: whole tiles, of 128 rows of W, or parts that the last CTA of a tile adds up
  narrow_parts,  ///< the same of 64 rows
  pairs,         ///< two CTAs for each tile of 128 rows, which add up in shared memory
  narrow_pairs   ///< of 64 rows
};

/// Units of k of all tiles of Y. The sums of a tile that several CTAs have are added up by the last of them.
using Plan = StreamK;

/// About how long a plan takes, in units. CTAs of equal shares take less than more of them that cut tiles anywhere: a
/// CTA then ends one tile and begins another, and waits for its neighbours' parts.
[[nodiscard]] DMA_HOST_DEVICE constexpr long long time_of(const Plan& plan) {
  constexpr int even_cut = 3;  // units that take as long as to add up parts
  constexpr int uneven_cut = 6;
  const long long units = plan.units();
  const long long share = (units + plan.ctas - 1) / plan.ctas;
  const bool is_even = units % plan.ctas == 0;
  const bool are_whole = is_even && share % plan.units_of_tile == 0;
  const bool are_parts = is_even && plan.units_of_tile % share == 0;
  return share + (are_whole ? 0 : are_parts ? even_cut : uneven_cut);
}
/// The same where each tile has a cluster of CTAs, of which so many run at a time. Others start when these have ended.
[[nodiscard]] DMA_HOST_DEVICE constexpr long long time_in_clusters(const Plan& plan, int most_ctas) {
  constexpr int exchange = 1;
  constexpr int start = 4;
  const int ctas_of_tile = plan.ctas / plan.tiles;
  const int clusters = most_ctas < ctas_of_tile ? 1 : most_ctas / ctas_of_tile;
  const long long rounds = (plan.tiles + clusters - 1) / clusters;
  const int share = (plan.units_of_tile + ctas_of_tile - 1) / ctas_of_tile;
  return rounds * (share + exchange + start) - start;
}

/// The plan for at most so many CTAs that takes the least time.
[[nodiscard]] DMA_HOST_DEVICE constexpr Plan make_plan(int tiles, int units_of_tile, int most_ctas) {
  Plan best{tiles, units_of_tile, 1};
  for (int ctas = 2; ctas <= most_ctas && ctas <= best.units(); ++ctas) {
    const Plan plan{tiles, units_of_tile, ctas};
    if (time_of(plan) <= time_of(best)) {
      best = plan;
    }
  }
  return best;
}
/// The same where each tile has a cluster of so many CTAs; 1: none has.
[[nodiscard]] DMA_HOST_DEVICE constexpr Plan make_plan(int tiles, int units_of_tile, int most_ctas, int cluster) {
  if (cluster > 1) {  // each CTA has some, which may be zeros
    return {tiles, units_of_tile > cluster ? units_of_tile : cluster, tiles * cluster};
  }
  return make_plan(tiles, units_of_tile, most_ctas);
}

}  // namespace linear
