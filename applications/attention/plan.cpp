#include "plan.hpp"

#include <algorithm>
#include <string>

namespace attention {

namespace {

/// The blocks of the CTA that has most.
long long most_blocks(const Plan& plan) {
  long long most = 0;
  for (int cta = 0; cta < plan.ctas; ++cta) {
    long long blocks = 0;
    int stride = plan.first_stride(cta);
    for (int tile = cta; tile < plan.tiles(); tile += stride, stride = plan.stride_after(stride)) {
      blocks += plan.piece_of(tile).blocks;
    }
    most = std::max(most, blocks);
  }
  return most;
}

}  // namespace

Plan make_plan(Plan shape, int sms) {
  shape.ctas = std::min(shape.tiles(), sms);
  shape.band = 1;
  if (!shape.causal) {
    return shape;
  }
  const int heads = shape.batches * shape.heads;
  long long all = 0;
  for (int row = 0; row < shape.queries; row += shape.rows) {
    all += static_cast<long long>(heads) * shape.blocks_of(row);
  }
  // Narrow bands read keys and values from the L2, wide ones divide the blocks evenly.
  Plan best = shape;
  long long least = most_blocks(shape);
  while (1000 * least * shape.ctas > 1035 * all && shape.band < heads) {
    shape.band = std::min(2 * shape.band, heads);
    const long long most = most_blocks(shape);
    if (most < least) {
      best = shape;
      least = most;
    }
  }
  return best;
}

std::string describe(const Plan& plan) {
  return std::to_string(plan.tiles()) + " tiles of " + std::to_string(plan.rows) + " queries, blocks of " +
         std::to_string(plan.block) + " keys, bands of " + std::to_string(plan.band) +
         (plan.band == 1 ? " head, " : " heads, ") + std::to_string(plan.ctas) + " CTAs";
}

}  // namespace attention
