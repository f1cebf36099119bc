#include "plan.hpp"

#include <algorithm>
#include <string>

namespace attention {

Plan make_plan(Plan shape, int sms) {
  shape.ctas = std::min(shape.tiles(), sms);
  shape.band = shape.causal ? shape.batches * shape.heads : 1;
  return shape;
}

std::string describe(const Plan& plan) {
  return std::to_string(plan.tiles()) + " tiles of " + std::to_string(plan.rows) + " queries, blocks of " +
         std::to_string(plan.block) + " keys, bands of " + std::to_string(plan.band) +
         (plan.band == 1 ? " head, " : " heads, ") + std::to_string(plan.ctas) + " CTAs";
}

}  // namespace attention
