// Attention on the emulator against sums in double.

#include "host.hpp"
#include "paged_case.hpp"
#include "plan.hpp"
#include "reference.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace {

using attention::Attention;
using attention::BFloat16;
using attention::Case;
using attention::Half;
using attention::InPages;
using attention::PagedCase;
using attention::PagedPlan;
using attention::Plan;
using attention::Shape;

/// Attends in a kernel with so many CTAs. Returns the largest error in units of what is allowed.
template <class Kernel>
double error_of(const Shape& shape, int ctas, int band = 1) {
  Case<typename Kernel::Element> c(shape);
  const Plan plan{shape.batches,     shape.heads,   shape.queries, shape.keys, shape.causal,
                  Kernel::tile_rows, Kernel::block, band,          ctas};
  attention::attend_on_host(Kernel{}, c.p, plan);
  return c.worst_error();
}

template <class Element>
using Narrow = Attention<Element, 64, 32>;

/// The same of scores that are 8 `first` in the first block, and 8 `second` in the next.
double error_of_scores(int query, float first, float second) {
  using Kernel = Narrow<BFloat16>;
  Case<BFloat16> c({.queries = 20, .keys = 64});
  c.set_scores(query, Kernel::block, first, second);
  attention::attend_on_host(Kernel{}, c.p, {1, 1, 20, 64, false, Kernel::tile_rows, Kernel::block, 1, 1});
  return c.worst_error();
}

/// The same with keys and values in pages; batch i has `lengths[i]` of them.
template <class Kernel>
double error_in_pages(const Shape& shape, const std::vector<int>& lengths, int page_rows, int ctas) {
  PagedCase<typename Kernel::Element> c(shape, lengths, page_rows);
  const PagedPlan plan{
      {shape.batches, shape.heads, shape.queries, shape.keys, shape.causal, Kernel::tile_rows, Kernel::block, 1, ctas},
      c.p.lengths};
  attention::attend_on_host(Kernel{}, c.p, plan);
  return c.whole.worst_error();
}

}  // namespace

TEMPLATE_TEST_CASE("attention is the softmax of the scores times the values", "[attention]", BFloat16, Half) {
  CHECK(error_of<Narrow<TestType>>({.queries = 128, .keys = 64}, 1) <= 1);
  CHECK(error_of<Narrow<TestType>>({.queries = 128, .keys = 70}, 1) <= 1);
}

TEST_CASE("heads have 128 elements too", "[attention]") {
  CHECK(error_of<Attention<BFloat16, 128, 48>>({.queries = 70, .keys = 100, .head_size = 128}, 1) <= 1);
}

TEST_CASE("three warpgroups take turns too", "[attention]") {
  CHECK(error_of<Attention<BFloat16, 64, 32, 3>>({.heads = 2, .queries = 200, .keys = 70, .causal = true}, 1) <= 1);
}

TEST_CASE("a CTA attends to tiles one after another", "[attention]") {
  CHECK(error_of<Narrow<BFloat16>>({.batches = 1, .heads = 2, .queries = 130, .keys = 40}, 1) <= 1);
  CHECK(error_of<Narrow<BFloat16>>({.batches = 2, .heads = 2, .queries = 10, .keys = 30}, 3, 3) <= 1);
}

TEST_CASE("several heads of Q read one of K and V", "[attention]") {
  CHECK(error_of<Narrow<BFloat16>>({.heads = 4, .kv_heads = 2, .queries = 20, .keys = 33}, 4) <= 1);
}

TEST_CASE("a query sees the keys up to its own, counted from the last", "[attention]") {
  CHECK(error_of<Narrow<BFloat16>>({.queries = 128, .keys = 128, .causal = true}, 1) <= 1);
  CHECK(error_of<Narrow<BFloat16>>({.queries = 60, .keys = 100, .causal = true}, 1) <= 1);
}

TEST_CASE("the diagonal begins at any key of a block", "[attention]") {
  for (int more = 0; more < Narrow<BFloat16>::block; ++more) {
    CAPTURE(more);
    CHECK(error_of<Narrow<BFloat16>>({.queries = 128, .keys = 128 + more, .causal = true}, 1) <= 1);
  }
}

TEST_CASE("queries that see no key give zeros", "[attention]") {
  CHECK(error_of<Narrow<BFloat16>>({.queries = 150, .keys = 20, .causal = true}, 1) <= 1);
}

TEST_CASE("sums shrink where later scores are much larger", "[attention]") {
  CHECK(error_of<Narrow<BFloat16>>({.queries = 70, .keys = 200, .scale = 1}, 1) <= 1);
}

TEST_CASE("no power is infinite where scores are far apart", "[attention]") {
  CHECK(error_of<Narrow<BFloat16>>({.queries = 128, .keys = 70, .scale = 10}, 1) <= 1);
}

TEST_CASE("scores grow a little or a lot, of one query or another, from below zero too", "[attention]") {
  for (const int query : {0, 8, 13}) {
    for (const float first : {-31.0F, -8.0F, -0.5F, 0.0F, 4.0F}) {
      for (const float second : {-30.5F, -0.5F, 0.5F, 4.5F, 31.0F}) {
        CAPTURE(query, first, second);
        REQUIRE(error_of_scores(query, first, second) <= 1);
      }
    }
  }
}

TEST_CASE("all scores of a query may be negative, and those of another positive", "[attention]") {
  CHECK(error_of<Narrow<BFloat16>>({.queries = 100, .keys = 1}, 1) <= 1);
}

TEST_CASE("one query and one key are enough", "[attention]") {
  CHECK(error_of<Narrow<BFloat16>>({.queries = 1, .keys = 1}, 1) <= 1);
}

TEST_CASE("keys and values are in pages anywhere, and what is behind a sequence's last has no effect", "[attention]") {
  using Boxes = Attention<BFloat16, 64, 32, 2, InPages<16>>;
  CHECK(error_in_pages<Boxes>({.batches = 2, .queries = 20, .keys = 70}, {70, 33}, 16, 2) <= 1);
  CHECK(error_in_pages<Boxes>({.heads = 4, .kv_heads = 2, .queries = 20, .keys = 49}, {49}, 32, 2) <= 1);
  using Wide = Attention<Half, 128, 48, 2, InPages<16>>;
  CHECK(error_in_pages<Wide>({.queries = 20, .keys = 100, .head_size = 128}, {100}, 48, 1) <= 1);
}

TEST_CASE("sequences in pages have lengths of their own, some of them no key", "[attention]") {
  using Boxes = Attention<BFloat16, 64, 32, 2, InPages<32>>;
  CHECK(error_in_pages<Boxes>({.batches = 3, .heads = 2, .queries = 30, .keys = 70, .causal = true}, {70, 20, 0}, 32,
                              2) <= 1);
  CHECK(error_in_pages<Boxes>({.batches = 2, .queries = 5, .keys = 40}, {0, 1}, 64, 1) <= 1);
}

TEST_CASE("the pieces of a plan are each tile once, with the keys that it sees", "[attention]") {
  constexpr int rows = 128;
  for (const bool causal : {false, true}) {
    for (const int band : {1, 4, 5, 6}) {
      CAPTURE(causal, band);
      const Plan plan{2, 3, 1000, 700, causal, rows, 128, band, 7};
      std::vector<int> times(static_cast<std::size_t>(plan.tiles()));
      for (int cta = 0; cta < plan.ctas; ++cta) {
        int blocks = 0;
        for (attention::Step step = plan.first_step(cta); step.tile < plan.tiles(); step = plan.after(step)) {
          const attention::Piece piece = step.piece;
          const int last = piece.row + rows - 1 - 300;  // the last key that a row sees
          const int seen = !causal || last > 699 ? 700 : last < 0 ? 1 : last + 1;
          REQUIRE(piece.blocks == (seen + 127) / 128);
          REQUIRE(step.at == blocks % piece.blocks);
          blocks = step.ends_tile() ? 0 : blocks + 1;
          if (step.begins_tile()) {
            ++times[static_cast<std::size_t>((piece.batch * 3 + piece.head) * 8 + piece.row / rows)];
          }
        }
        REQUIRE(blocks == 0);
      }
      REQUIRE(times == std::vector<int>(times.size(), 1));
    }
  }
}

TEST_CASE("CTAs of a causal plan have as many blocks each", "[attention]") {
  for (const Plan& shape :
       {Plan{4, 16, 4096, 4096, true, 128, 128, 0, 0}, Plan{4, 32, 4096, 4096, true, 192, 128, 0, 0},
        Plan{1, 16, 16384, 16384, true, 128, 128, 0, 0}, Plan{16, 16, 1024, 1024, true, 128, 128, 0, 0}}) {
    const Plan plan = attention::make_plan(shape, 132);
    int all = 0;
    int most = 0;
    for (int cta = 0; cta < plan.ctas; ++cta) {
      int blocks = 0;
      for (attention::Step step = plan.first_step(cta); step.tile < plan.tiles(); step = plan.after(step)) {
        ++blocks;
      }
      all += blocks;
      most = std::max(most, blocks);
    }
    CHECK(most * 132 <= 1.036 * all);
  }
}

TEST_CASE("a causal plan has the narrowest band of heads that divides the blocks, another goes head by head",
          "[attention]") {
  const Plan wide = attention::make_plan({1, 16, 16384, 16384, true, 128, 128, 0, 0}, 132);
  CHECK(attention::describe(wide) == "2048 tiles of 128 queries, blocks of 128 keys, bands of 16 heads, 132 CTAs");
  CHECK(wide.piece_of(15).row == 16384 - 128);
  CHECK(wide.piece_of(16).row == 16384 - 256);
  CHECK(attention::make_plan({4, 16, 4096, 4096, true, 128, 128, 0, 0}, 132).band == 1);
  CHECK(attention::make_plan({1, 3, 100, 100, true, 128, 128, 0, 0}, 132).band == 1);
  const Plan plan = attention::make_plan({1, 16, 16384, 16384, false, 128, 128, 0, 0}, 132);
  CHECK(plan.piece_of(127).head == 0);
  CHECK(plan.piece_of(128).head == 1);
}

TEST_CASE("heads of 64 have tiles of two warpgroups where a mask leaves few keys, otherwise of three", "[attention]") {
  const auto rows_of = [](bool causal, int keys) {
    const Case<BFloat16> c({.queries = keys, .keys = keys, .head_size = 64, .causal = causal});
    return attention::plan_of(c.p, 132).rows;
  };
  CHECK(rows_of(true, 1024) == 128);
  CHECK(rows_of(true, 1025) == 192);
  CHECK(rows_of(false, 1024) == 192);
}

TEST_CASE("the slots fit into the shared memory of a CTA", "[attention]") {
  CHECK(sizeof(Attention<BFloat16, 128, 128>::Shared) <= 227 * 1024);
  CHECK(sizeof(Attention<BFloat16, 64, 128>::Shared) <= 227 * 1024);
  CHECK(sizeof(Attention<BFloat16, 64, 128, 3>::Shared) <= 227 * 1024);
}

TEST_CASE("a plan with more CTAs than tiles is refused", "[attention]") {
  using Kernel = Narrow<BFloat16>;
  Case<BFloat16> c({.queries = 128, .keys = 32});
  const auto attend = [&](int ctas) {
    attention::attend_on_host(Kernel{}, c.p, {1, 1, 128, 32, false, Kernel::tile_rows, Kernel::block, 1, ctas});
  };
  CHECK_NOTHROW(attend(1));
  CHECK_THROWS_MATCHES(attend(2), std::invalid_argument,
                       Catch::Matchers::MessageMatches(
                           Catch::Matchers::ContainsSubstring("2 CTAs, and there are 1 tiles; give 1 to 1 CTAs")));
  CHECK_THROWS_AS(attend(0), std::invalid_argument);
}

TEST_CASE("what no kernel takes is refused with the way out", "[attention]") {
  using Catch::Matchers::ContainsSubstring;
  using Catch::Matchers::MessageMatches;
  const auto refuses = [](auto change, const char* sentence) {
    Case<Half> c({});
    change(c.p);
    CHECK_THROWS_MATCHES(attention::expect_valid(c.p), std::invalid_argument,
                         MessageMatches(ContainsSubstring(sentence)));
  };
  refuses([](auto& p) { p.head_size = 96; }, "a head has 96 elements; give heads of 64 or 128");
  refuses([](auto& p) { p.keys = 0; }, "and 0 keys; give positive numbers");
  refuses([](auto& p) { p.kv_heads = 2; }, "the heads a multiple of those of keys");
  refuses([](auto& p) { p.scale = -1; }, "give a positive one, or 0 for 1 / sqrt(head_size)");
  refuses([](auto& p) { ++p.q.first; }, "Q begins at an address");
  refuses([](auto& p) { p.o.first = nullptr; }, "O begins at an address");
  refuses([](auto& p) { p.k.row = 56; }, "the strides of K are");
  refuses([](auto& p) { p.v.head = 60; }, "make them multiples of 8");
  const auto refuses_pages = [](auto change, const char* sentence) {
    PagedCase<Half> c({.keys = 40}, {40}, 16);
    change(c.p);
    CHECK_THROWS_MATCHES(attention::expect_valid(c.p), std::invalid_argument,
                         MessageMatches(ContainsSubstring(sentence)));
  };
  refuses_pages([](auto& p) { p.page_rows = 24; }, "give at least one, of a multiple of 16 keys");
  refuses_pages([](auto& p) { p.table_pitch = 2; }, "has 2 pages of 16 for up to 40 keys");
  refuses_pages([](auto& p) { p.lengths = nullptr; }, "and the lengths");
  refuses_pages([](auto& p) { p.head_size = 96; }, "give heads of 64 or 128");
}
