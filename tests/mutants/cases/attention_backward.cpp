#if __has_include(<cuda_bf16.h>)
#include "attention/backward_case.hpp"
#include "attention/host_backward.hpp"
#endif

#include "mutants/cases.hpp"

namespace mutants {

#if __has_include(<cuda_bf16.h>)
namespace {

template <int head_size>
void add(Cases& cases, const char* name, const attention::Shape& shape) {
  using Case = attention::BackwardCase<attention::BFloat16>;
  using Kernel = attention::AttentionBackward<attention::BFloat16, head_size>;
  using Before = attention::PrepareRows<attention::BFloat16, head_size>;
  cases.push_back({name,
                   [=] {
                     Case c(shape);
                     c.attend();
                     const attention::BackwardPlan plan = plan_of(c.backward);
                     dma::host::launch(Before{}, {Before::ctas(c.backward)}, c.backward);
                     // The sums of Q's gradients are no output: those of floats differ with their order.
                     dma::proof::Options options = writes(c.memory_d_k, c.memory_d_v);
                     options.has_other_arrays = true;
                     return dma::proof::prove(options, Kernel{}, {plan.tiles()},
                                              attention::host_backward_maps<Kernel>(c.backward), c.backward, plan);
                   },
                   [=] {
                     Case c(shape);
                     c.attend();
                     attention::attend_backward_on_host(c.backward, plan_of(c.backward));
                     return c.worst_backward_error() <= 1;
                   }});
}

}  // namespace
#endif

void add_attention_backward(Cases& cases) {
#if __has_include(<cuda_bf16.h>)
  add<64>(cases, "gradients, causal, keys without queries and queries without keys",
          {.heads = 2, .kv_heads = 1, .queries = 100, .keys = 20, .causal = true, .scale = 1});
  add<64>(cases, "gradients, steps of two heads and two tiles",
          {.heads = 4, .kv_heads = 2, .queries = 130, .keys = 150, .causal = true, .scale = 0.5F});
  add<64>(cases, "gradients, one key with scores far below zero", {.queries = 50, .keys = 1, .scale = 10});
  add<128>(cases, "gradients, heads of 128", {.queries = 200, .keys = 70, .head_size = 128});
#endif
}

}  // namespace mutants
