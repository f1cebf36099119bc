#if __has_include(<cuda_bf16.h>)
#include "attention/host.hpp"
#include "attention/paged_case.hpp"
#include "attention/reference.hpp"
#endif

#include "mutants/cases.hpp"

namespace mutants {

#if __has_include(<cuda_bf16.h>)
namespace {

using Kernel = attention::Attention<attention::BFloat16, 64, 32>;

using Problem = attention::Case<attention::BFloat16>;

void add(
    Cases& cases, const char* name, const attention::Shape& shape, int ctas,
    void (*change)(Problem&) = [](Problem&) {}) {
  const auto plan_of = [=] {
    return attention::Plan{shape.batches, shape.heads,       shape.queries, shape.keys,
                           shape.causal,  Kernel::tile_rows, Kernel::block, shape.heads == 1 ? 1 : 2,
                           ctas};
  };
  cases.push_back({name,
                   [=] {
                     Problem c(shape);
                     change(c);
                     return dma::proof::prove(writes(c.memory_o, c.log_sums), Kernel{}, {ctas},
                                              attention::host_maps<Kernel>(c.p), c.p, plan_of());
                   },
                   [=] {
                     Problem c(shape);
                     change(c);
                     dma::host::launch({3}, Kernel{}, {ctas}, attention::host_maps<Kernel>(c.p), c.p, plan_of());
                     return c.worst_error() <= 1;
                   }});
}

void add_in_pages(Cases& cases) {
  using InPages = attention::Attention<attention::BFloat16, 64, 32, 2, attention::InPages<16>>;
  struct InCase {
    attention::PagedCase<attention::BFloat16> c{{.batches = 2, .queries = 20, .keys = 70}, {57, 40}, 48};
    attention::PagedPlan plan{{2, 1, 20, 70, false, InPages::tile_rows, InPages::block, 1, 1}, c.p.lengths};
  };
  cases.push_back({"attention, sequences in pages",
                   [] {
                     InCase made;
                     return dma::proof::prove(writes(made.c.whole.memory_o, made.c.whole.log_sums), InPages{}, {1},
                                              attention::host_maps<InPages>(made.c.p), made.c.p, made.plan);
                   },
                   [] {
                     InCase made;
                     dma::host::launch({3}, InPages{}, {1}, attention::host_maps<InPages>(made.c.p), made.c.p,
                                       made.plan);
                     return made.c.whole.worst_error() <= 1;
                   }});
}

}  // namespace
#endif

void add_attention(Cases& cases) {
#if __has_include(<cuda_bf16.h>)
  add(cases, "attention, causal, one block", {.queries = 20, .keys = 20, .causal = true}, 1);
  add(cases, "attention, causal, a head by itself", {.queries = 130, .keys = 100, .causal = true}, 1);
  add(cases, "attention, one key", {.queries = 100, .keys = 1}, 1);
  add(cases, "attention, scores far apart", {.queries = 128, .keys = 70, .scale = 10}, 1);
  add(cases, "attention, a score grows from far below zero to below zero", {.queries = 20, .keys = 64}, 1,
      [](Problem& c) { c.set_scores(8, Kernel::block, -31, -0.5F); });
  add(cases, "attention, scores of one query are negative", {.queries = 20, .keys = 64}, 1,
      [](Problem& c) { c.set_scores(8, Kernel::block / 2, -31, -0.5F); });
  add(cases, "attention, two tiles of three blocks", {.heads = 2, .kv_heads = 1, .queries = 100, .keys = 70}, 1);
  add(cases, "attention, causal, heads of two tiles",
      {.heads = 4, .kv_heads = 2, .queries = 140, .keys = 60, .causal = true, .scale = 1}, 2);
  add_in_pages(cases);
#endif
}

}  // namespace mutants
