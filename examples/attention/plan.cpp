#include "plan.hpp"

#include <algorithm>
#include <string>

namespace attention {

Plan make_plan(Plan shape, long long bytes_of_head, int sms, long long l2_bytes) {
  shape.ctas = std::min(shape.tiles(), sms);
  // Without a mask all tiles are equally long, and one head after the other needs the least of the L2. With one a band
  // keeps all CTAs busy to the end, as long as half of the L2 holds what it reads.
  const long long heads = shape.causal ? l2_bytes / 2 / std::max(bytes_of_head, 1LL) : 1;
  shape.band = static_cast<int>(std::clamp<long long>(heads, 1, shape.batches * shape.heads));
  return shape;
}

std::string describe(const Plan& plan) {
  return std::to_string(plan.tiles()) + " tiles of " + std::to_string(plan.rows) + " queries, blocks of " +
         std::to_string(plan.block) + " keys, bands of " + std::to_string(plan.band) +
         (plan.band == 1 ? " head, " : " heads, ") + std::to_string(plan.ctas) + " CTAs";
}

}  // namespace attention
