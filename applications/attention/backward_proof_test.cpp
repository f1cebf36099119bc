// The backward kernel proved for every schedule: steps of two heads of Q one after another, with and without a mask.

#include "backward_case.hpp"
#include "host_backward.hpp"

#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

namespace {

using attention::BFloat16;

template <int head_size>
auto verdict_on(const attention::Shape& shape) {
  using Kernel = attention::AttentionBackward<BFloat16, head_size>;
  attention::BackwardCase<BFloat16> c(shape);
  c.attend();
  const auto& p = c.backward;
  const attention::BackwardPlan plan = plan_of(p);
  using Before = attention::PrepareRows<BFloat16, head_size>;
  dma::host::launch(Before{}, {Before::ctas(p)}, p);
  // The sums of Q's gradients are no output: those of floats are another number in another order.
  return dma::proof::prove(
      {.outputs = {dma::proof::output(c.memory_d_k), dma::proof::output(c.memory_d_v)}, .has_other_arrays = true},
      Kernel{}, {plan.tiles()}, attention::host_backward_maps<Kernel>(p), p, plan);
}

}  // namespace

TEST_CASE("the backward pass is proved for every schedule") {
  CHECK_THAT(verdict_on<64>({.queries = 150, .keys = 70}), dma::proof::IsProved());
}

TEST_CASE("the backward pass over two heads of Q is proved for every schedule") {
  CHECK_THAT(verdict_on<64>({.heads = 2, .queries = 70, .keys = 130, .causal = true}), dma::proof::IsProved());
}

TEST_CASE("the backward pass of heads of 128 elements is proved for every schedule") {
  CHECK_THAT(verdict_on<128>({.queries = 130, .keys = 20, .head_size = 128}), dma::proof::IsProved());
}
