// The kernel proved for every schedule: tiles one after another, with and without a mask.

#include "host.hpp"
#include "paged_case.hpp"
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
  return dma::proof::prove({.outputs = {dma::proof::output(c.memory_o), dma::proof::output(c.log_sums)}}, Kernel{},
                           {ctas}, attention::host_maps<Kernel>(c.p), c.p, plan);
}

}  // namespace

TEST_CASE("attention is proved for every schedule") {
  CHECK_THAT(verdict_on({.queries = 140, .keys = 70}, 1), dma::proof::IsProved());
}

TEST_CASE("attention with a mask is proved for every schedule") {
  CHECK_THAT(verdict_on({.heads = 3, .queries = 20, .keys = 40, .causal = true}, 2), dma::proof::IsProved());
}

TEST_CASE("attention whose warpgroups take no turns is proved for every schedule") {
  using Wide = attention::Attention<BFloat16, 128, 48>;
  attention::Case<BFloat16> c({.queries = 70, .keys = 70, .head_size = 128});
  const attention::Plan plan{1, 1, 70, 70, false, Wide::tile_rows, Wide::block, 1, 1};
  const auto verdict = dma::proof::prove({.outputs = {dma::proof::output(c.memory_o), dma::proof::output(c.log_sums)}},
                                         Wide{}, {1}, attention::host_maps<Wide>(c.p), c.p, plan);
  CHECK_THAT(verdict, dma::proof::IsProved());
}

TEST_CASE("attention over pages is proved for every schedule") {
  using Paged = attention::Attention<BFloat16, 64, 32, 2, attention::InPages<16>>;
  attention::PagedCase<BFloat16> c({.batches = 2, .queries = 20, .keys = 70}, {70, 17}, 32);
  const attention::PagedPlan plan{{2, 1, 20, 70, false, Paged::tile_rows, Paged::block, 1, 1}, c.p.lengths};
  const auto verdict =
      dma::proof::prove({.outputs = {dma::proof::output(c.whole.memory_o), dma::proof::output(c.whole.log_sums)}},
                        Paged{}, {1}, attention::host_maps<Paged>(c.p), c.p, plan);
  CHECK_THAT(verdict, dma::proof::IsProved());
}
