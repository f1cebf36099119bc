// The gradients of attention on the emulator against sums in double.

#include "backward_case.hpp"
#include "host_backward.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <stdexcept>
#include <vector>

namespace {

using attention::AttentionBackward;
using attention::BackwardCase;
using attention::BackwardPlan;
using attention::BFloat16;
using attention::Half;
using attention::Shape;

/// The largest error in units of what is allowed.
template <class Element>
double error_of(const Shape& shape) {
  BackwardCase<Element> c(shape);
  c.attend();
  attention::attend_backward_on_host(c.backward, plan_of(c.backward));
  return c.worst_backward_error();
}

}  // namespace

TEMPLATE_TEST_CASE("gradients are those of the softmax of the scores times the values", "[backward]", BFloat16, Half) {
  CHECK(error_of<TestType>({.queries = 64, .keys = 128}) <= 1);
  CHECK(error_of<TestType>({.queries = 130, .keys = 70}) <= 1);
}

TEST_CASE("heads of gradients have 128 elements too", "[backward]") {
  CHECK(error_of<BFloat16>({.queries = 100, .keys = 130, .head_size = 128}) <= 1);
}

TEST_CASE("gradients of keys add up over the heads of Q that read them", "[backward]") {
  CHECK(error_of<BFloat16>({.batches = 2, .heads = 4, .kv_heads = 2, .queries = 33, .keys = 20}) <= 1);
}

TEST_CASE("queries have no gradient from keys that they do not see", "[backward]") {
  CHECK(error_of<BFloat16>({.queries = 200, .keys = 200, .causal = true}) <= 1);
  CHECK(error_of<BFloat16>({.queries = 60, .keys = 150, .causal = true}) <= 1);
}

TEST_CASE("gradients are zeros where no key is seen, and no query", "[backward]") {
  CHECK(error_of<BFloat16>({.queries = 150, .keys = 20, .causal = true}) <= 1);
  CHECK(error_of<BFloat16>({.queries = 1, .keys = 1}) <= 1);
}

TEST_CASE("gradients have the scale of the scores", "[backward]") {
  CHECK(error_of<Half>({.queries = 40, .keys = 50, .scale = 0.5F}) <= 1);
}

TEST_CASE("keys behind the last have no part in gradients where all scores are far below zero", "[backward]") {
  CHECK(error_of<BFloat16>({.queries = 50, .keys = 1, .scale = 10}) <= 1);
}

TEST_CASE("the pieces of a backward plan are each tile once, with the queries that see its keys", "[backward]") {
  for (const int queries : {1000, 300, 64}) {
    for (const bool causal : {false, true}) {
      const BackwardPlan plan{2, 6, 3, queries, 700, causal, 128};
      std::vector<int> times(static_cast<std::size_t>(plan.tiles()));
      REQUIRE(plan.tiles() == 2 * 3 * 6);
      for (int tile = 0; tile < plan.tiles(); ++tile) {
        const attention::KeyPiece piece = plan.piece_of(tile);
        int first = 0;  // the first step with a query that sees the tile's first key
        while (causal && first * 64 < queries && first * 64 + 63 + 700 - queries < piece.row) {
          ++first;
        }
        REQUIRE(piece.first == first);
        REQUIRE(piece.first + piece.steps == (queries + 63) / 64);
        ++times[static_cast<std::size_t>((piece.batch * 3 + piece.kv_head) * 6 + piece.row / 128)];
      }
      REQUIRE(times == std::vector<int>(times.size(), 1));
    }
  }
}

TEST_CASE("a backward plan says what it is", "[backward]") {
  CHECK(attention::describe(BackwardPlan{4, 16, 16, 4096, 4096, true, 128}) ==
        "2048 tiles of 128 keys, steps of 64 queries");
}

TEST_CASE("the slots of the backward pass fit into the shared memory of a CTA", "[backward]") {
  CHECK(sizeof(AttentionBackward<BFloat16, 128>::Shared) <= 227 * 1024);
  CHECK(sizeof(AttentionBackward<BFloat16, 64>::Shared) <= 227 * 1024);
}

TEST_CASE("a backward problem that no kernel takes is refused with the way out", "[backward]") {
  using Catch::Matchers::ContainsSubstring;
  using Catch::Matchers::MessageMatches;
  const auto refuses = [](auto change, const char* sentence) {
    BackwardCase<Half> c({});
    change(c.backward);
    CHECK_THROWS_MATCHES(attention::expect_valid(c.backward), std::invalid_argument,
                         MessageMatches(ContainsSubstring(sentence)));
  };
  refuses([](auto& p) { p.forward.head_size = 96; }, "give heads of 64 or 128");
  refuses([](auto& p) { ++p.d_o.first; }, "dO begins at an address");
  refuses([](auto& p) { p.d_k.row = 60; }, "the strides of dK are");
  refuses([](auto& p) { p.forward.log_sums = nullptr; }, "set log_sums");
  refuses([](auto& p) { ++p.work; }, "give work_floats(p) aligned floats");
}
