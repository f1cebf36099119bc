// The kernel proved for every schedule: tiles one after another, with and without a mask.

#include "host.hpp"
#include "reference.hpp"

#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

namespace {

using attention::BFloat16;
using Kernel = attention::Attention<BFloat16, 64, 32>;

auto verdict_on(const attention::Shape& shape, int ctas) {
  attention::Case<BFloat16> c(shape);
  const attention::Plan plan{shape.batches, shape.heads, shape.queries, shape.keys, shape.causal, Kernel::tile_rows,
                             Kernel::block, 2,           ctas};
  return dma::host::prove({.outputs = {dma::host::output(c.memory_o), dma::host::output(c.log_sums)}}, Kernel{}, {ctas},
                          attention::host_maps<Kernel>(c.p), c.p, plan);
}

}  // namespace

TEST_CASE("attention is proved for every schedule") {
  CHECK_THAT(verdict_on({.queries = 140, .keys = 70}, 1), dma::host::IsProved());
}

TEST_CASE("attention with a mask is proved for every schedule") {
  CHECK_THAT(verdict_on({.heads = 3, .queries = 20, .keys = 40, .causal = true}, 2), dma::host::IsProved());
}
