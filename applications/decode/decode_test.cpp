// Decoding on the emulator, beside a loop in double precision; its plans, and its proofs.

#include "decode/cases.hpp"
#include "decode/host.hpp"
#include "decode/plan_kernel.hpp"

#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using attention::Shape;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using decode::ArrayCase;
using decode::BFloat16;
using decode::Form;
using decode::PagedCase;
using decode::Plan;
using decode::Segment;
using dma::proof::IsProved;

namespace {

// Keys and values by boxes of 16, two DMA warps, programmatic launch; and products of two tiles.
using Small = decode::Decode<BFloat16, Form{.head_size = 64,
                                            .columns = 8,
                                            .box_rows = 16,
                                            .block = 64,
                                            .slots = 2,
                                            .loading_warps = 2,
                                            .starts_early = true}>;
using Large = decode::Decode<BFloat16, Form{.head_size = 128, .columns = 16, .box_rows = 64, .block = 128, .slots = 4}>;

/// The error of a step, in units of what is allowed.
template <class Kernel, class Case>
[[nodiscard]] double worst_error(const Case& c, const attention::Case<BFloat16>& whole, int ctas) {
  decode::decode_on_host(Kernel{}, c.p, decode::make_plan(whole.lengths, c.p.kv_heads, Kernel::unit, ctas));
  return whole.worst_error();
}
template <class Kernel>
[[nodiscard]] double error_in_arrays(const Shape& shape, const std::vector<int>& lengths, int ctas) {
  const ArrayCase<BFloat16> c(shape, lengths);
  return worst_error<Kernel>(c, c.whole, ctas);
}
template <class Kernel>
[[nodiscard]] double error_in_pages(const Shape& shape, const std::vector<int>& lengths, int page_rows) {
  const PagedCase<BFloat16> c(shape, lengths, page_rows);
  return worst_error<Kernel>(c, c.whole, 3);
}

/// Writes the last key and value of a sequence, and lets the next grid start before.
struct Append {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  static constexpr dma::KernelTraits traits{.programmatic_launch = true};

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Append>& cta, const decode::Problem<BFloat16>& p) const {
    cta.trigger_dependent_launch();
    cta.grid_dependency_wait();
    for (const auto* const heads : {&p.k, &p.v}) {
      for (int i = cta.lane(); i < p.head_size; i += 32) {
        const_cast<BFloat16*>(heads->first)[(p.keys - 1) * heads->row + i] = static_cast<BFloat16>(1.0F);
      }
    }
  }
};

/// The verdict on a step for at most so many CTAs.
template <class Kernel, class Case>
[[nodiscard]] dma::proof::Verdict verdict_on(Case& c, attention::Case<BFloat16>& whole, int most_ctas) {
  const Plan plan = decode::make_plan(whole.lengths, c.p.kv_heads, Kernel::unit, most_ctas);
  decode::HostWorkspace<Kernel> workspace(plan);
  return dma::proof::prove({.outputs = {dma::proof::output(whole.memory_o), dma::proof::output(whole.log_sums),
                                        dma::proof::output(workspace.parts), dma::proof::output(workspace.counters)},
                            .has_other_arrays = true},
                           Kernel{}, {plan.ctas}, decode::host_maps<Kernel>(c.p), c.p, plan.segments.data(),
                           workspace.view());
}

/// A step of one sequence, for proofs behind another grid.
struct StepOfGrids {
  ArrayCase<BFloat16> c;
  Plan plan;
  decode::HostWorkspace<Small> workspace;

  StepOfGrids(int keys, int most_ctas)
      : c({.heads = 2, .keys = keys, .causal = true}, {keys}),
        plan(decode::make_plan(c.whole.lengths, 1, Small::unit, most_ctas)),
        workspace(plan) {}

  [[nodiscard]] auto grid() {
    return dma::proof::Grid(Small{}, {plan.ctas}, decode::host_maps<Small>(c.p), c.p, plan.segments.data(),
                            workspace.view());
  }
  template <class Before>
  [[nodiscard]] dma::proof::Verdict verdict_behind(const Before& before) {
    return dma::proof::prove({.outputs = {dma::proof::output(c.whole.memory_o), dma::proof::output(c.whole.log_sums),
                                          dma::proof::output(c.whole.memory_k), dma::proof::output(c.whole.memory_v),
                                          dma::proof::output(workspace.parts), dma::proof::output(workspace.counters)},
                              .has_other_arrays = true},
                             before, grid());
  }
};

/// How often a plan has each key of each head; how many units each CTA has.
[[nodiscard]] std::map<std::array<int, 3>, int> keys_of(const Plan& plan, int unit, std::vector<int>& of_ctas) {
  std::map<std::array<int, 3>, int> counts;
  for (int cta = 0; cta < plan.ctas; ++cta) {
    int at = cta;
    int own = 0;
    do {
      const Segment& segment = plan.segments[static_cast<std::size_t>(at)];
      for (int key = segment.first; key < segment.end; ++key) {
        ++counts[{segment.batch, segment.head, key}];
      }
      own += segment.parts == 0 ? 0 : segment.keys == 0 ? 1 : (segment.end - segment.first + unit - 1) / unit;
      at = segment.next;
    } while (at != 0);
    of_ctas.push_back(own);
  }
  return counts;
}

}  // namespace

TEST_CASE("a plan has each key once, and as many for each CTA", "[decode]") {
  for (const std::vector<int>& lengths : {std::vector<int>{1000, 0, 64, 65, 1, 300}, {0, 0, 0}, {7000}, {5}}) {
    for (const int ctas : {1, 2, 7, 132}) {
      const Plan plan = decode::make_plan(lengths, 3, 16, ctas);
      std::vector<int> of_ctas;
      const auto counts = keys_of(plan, 16, of_ctas);
      CAPTURE(ctas, lengths);
      CHECK(static_cast<int>(counts.size()) == 3 * std::accumulate(lengths.begin(), lengths.end(), 0));
      CHECK(std::all_of(counts.begin(), counts.end(), [](const auto& key) { return key.second == 1; }));
      CHECK(*std::max_element(of_ctas.begin(), of_ctas.end()) - *std::min_element(of_ctas.begin(), of_ctas.end()) <= 1);
      CHECK(static_cast<int>(of_ctas.size()) <= ctas);
    }
  }
}

TEST_CASE("parts of a head have slots of their own, in the order of their keys", "[decode]") {
  const Plan plan = decode::make_plan({6400, 200, 0, 900}, 2, 64, 9);
  std::map<std::pair<int, int>, std::map<int, int>> parts_of_head;  // a head's parts, and where they begin
  std::set<int> slots;
  for (int cta = 0; cta < plan.ctas; ++cta) {
    int at = cta;
    do {
      const Segment& segment = plan.segments[static_cast<std::size_t>(at)];
      parts_of_head[{segment.batch, segment.head}][segment.part] = segment.first;
      if (segment.parts > 1) {
        const int slot = segment.slot_of(segment.part);
        CHECK(slots.insert(slot).second);
        CHECK(slot < plan.slots);
      }
      at = segment.next;
    } while (at != 0);
  }
  CHECK(parts_of_head.size() == 8);
  CHECK(parts_of_head[{0, 0}].size() > 2);
  for (int at = 0; at < plan.ctas; ++at) {
    const Segment& segment = plan.segments[static_cast<std::size_t>(at)];
    const auto& parts = parts_of_head[{segment.batch, segment.head}];
    CHECK(segment.parts == static_cast<int>(parts.size()));
    CHECK(std::is_sorted(parts.begin(), parts.end(), [](auto& a, auto& b) { return a.second < b.second; }));
  }
}

TEST_CASE("a kernel makes the host's plan", "[decode]") {
  for (const int batches : {1, 3, 31, 33, 70}) {
    std::vector<int> lengths = decode::ragged(batches, 500);
    const Plan plan = decode::make_plan(lengths, 2, 16, 300);
    std::vector<int> before(static_cast<std::size_t>(batches) + 1);
    std::vector<Segment> list(plan.segments.size());
    const decode::Division division{batches, 2, 16, 300, lengths.data(), before.data()};
    dma::host::launch(decode::MakePlan{}, {1}, division, before.data(), list.data());
    CAPTURE(batches);
    CHECK(std::memcmp(list.data(), plan.segments.data(), list.size() * sizeof(Segment)) == 0);
  }
  std::vector<int> lengths{70, 0, 5};
  std::vector<int> before(4);
  std::vector<Segment> list(6 + 6);
  CHECK_THAT(dma::proof::prove({.inputs = {dma::proof::input(lengths)},
                                .outputs = {dma::proof::output(before), dma::proof::output(list)}},
                               decode::MakePlan{}, {1}, decode::Division{3, 2, 16, 7, lengths.data(), before.data()},
                               before.data(), list.data()),
             IsProved());
}

TEST_CASE("a step over arrays is that of a loop, whatever the lengths", "[decode]") {
  const std::vector<int> lengths{300, 0, 1, 127, 128, 129, 257};
  const Shape shape{.batches = 7, .heads = 10, .kv_heads = 1, .keys = 300, .head_size = 128, .causal = true};
  CHECK(error_in_arrays<Large>(shape, lengths, 7) <= 1);
  const Shape small{.batches = 7, .heads = 3, .keys = 300, .causal = true};
  CHECK(error_in_arrays<Small>(small, lengths, 40) <= 1);
  CHECK(error_in_arrays<Small>(small, {0, 0, 0, 0, 0, 0, 0}, 40) <= 1);
  CHECK(error_in_arrays<Small>({.heads = 4, .kv_heads = 2, .keys = 1000, .causal = true}, {1000}, 22) <= 1);
}

TEST_CASE("queries of a step see one key less each", "[decode]") {
  CHECK(error_in_arrays<Large>(
            {.batches = 4, .heads = 6, .kv_heads = 2, .queries = 4, .keys = 300, .head_size = 128, .causal = true},
            {258, 130, 2, 4}, 3) <= 1);
}

TEST_CASE("a step over pages is that of a loop", "[decode]") {
  const std::vector<int> lengths{400, 0, 17, 128, 385};
  CHECK(error_in_pages<Small>({.batches = 5, .heads = 6, .kv_heads = 2, .keys = 400, .causal = true}, lengths, 48) <=
        1);
  CHECK(error_in_pages<Large>({.batches = 5, .heads = 6, .kv_heads = 2, .keys = 400, .head_size = 128, .causal = true},
                              lengths, 128) <= 1);
}

TEST_CASE("scores far apart keep their powers", "[decode]") {
  for (const auto& [first, second] : {std::pair{9.0F, -9.0F}, {-9.0F, 9.0F}, {-9.0F, -9.0F}}) {
    ArrayCase<BFloat16> c({.heads = 2, .keys = 300, .causal = true}, {300});
    c.whole.set_scores(0, 130, first, second);
    CHECK(worst_error<Small>(c, c.whole, 2) <= 1);
  }
}

TEST_CASE("what no kernel takes is refused", "[decode]") {
  const ArrayCase<BFloat16> right({.heads = 4, .kv_heads = 2, .keys = 80, .causal = true}, {80});
  const Plan plan = decode::make_plan({80}, 2, 64, 2);
  const auto refused = [&](auto change, const std::string& message) {
    decode::Problem<BFloat16> p = right.p;
    change(p);
    CHECK_THROWS_MATCHES(decode::decode_on_host(Small{}, p, plan), std::invalid_argument,
                         MessageMatches(ContainsSubstring(message)));
  };
  refused([](auto& p) { p.kv_heads = 3; }, "the heads a multiple of those of keys");
  refused([](auto& p) { p.head_size = 80; }, "give heads of 64 or 128");
  refused([](auto& p) { p.k.row = 60; }, "make them multiples of 8");
  refused([](auto& p) { ++p.v.first; }, "no multiple of 16 bytes");
  refused([](auto& p) { p.queries = 5; }, "10 queries of a group, and this kernel takes 8");
  refused([](auto& p) { p.queries = 33; }, "give at most 32 together");
  refused([](auto& p) { p.lengths = nullptr; }, "give the keys of each sequence");
  refused([](auto& p) { p.keys = 79; }, "make a plan of this problem's lengths");
  refused([](auto& p) { p.batches = 2; }, "1 sequences of up to 80 keys");
  refused([](auto& p) { p.head_size = 128; }, "this kernel takes heads of 64");
  int pages[5] = {};
  refused(
      [&](auto& p) {
        p.page_table = pages;
        p.pages = 5;
        p.page_rows = 24;
      },
      "a multiple of 16 keys");
  refused(
      [&](auto& p) {
        p.page_table = pages;
        p.pages = 5;
        p.page_rows = 16;
        p.table_pitch = 4;
      },
      "give a page for each 16");
  CHECK_THROWS_MATCHES(decode::make_plan({}, 1, 64, 1), std::invalid_argument,
                       MessageMatches(ContainsSubstring("0 sequences of 1 heads")));
  CHECK_THROWS_AS(decode::make_plan({3, -1}, 1, 64, 1), std::invalid_argument);
}

TEST_CASE("a page that is not there is named", "[decode]") {
  PagedCase<BFloat16> c({.keys = 80, .causal = true}, {80}, 16);
  c.table[2] = 99;
  CHECK_THROWS_MATCHES(
      decode::decode_on_host(Small{}, c.p, decode::make_plan({80}, 1, 64, 1)), std::exception,
      MessageMatches(ContainsSubstring("the list names a page that is not there") && ContainsSubstring("99")));
}

TEST_CASE("any number of blocks is proved for every schedule", "[decode]") {
  CHECK_THAT(dma::proof::for_all_trips<Small::Blocks>([](int blocks) {
               PagedCase<BFloat16> c({.heads = 2, .keys = 64 * blocks + 1, .causal = true}, {64 * blocks}, 16);
               return verdict_on<Small>(c, c.whole, 1);
             }),
             IsProved());
}

TEST_CASE("heads that CTAs share are proved for every schedule", "[decode]") {
  ArrayCase<BFloat16> c({.batches = 4, .heads = 2, .keys = 300, .causal = true}, {300, 0, 65, 1});
  CHECK_THAT(verdict_on<Small>(c, c.whole, 3), IsProved());
  ArrayCase<BFloat16> empty({.batches = 2, .keys = 64, .causal = true}, {0, 0});
  CHECK_THAT(verdict_on<Small>(empty, empty.whole, 1), IsProved());
}

TEST_CASE("products of several tiles are proved for every schedule", "[decode]") {
  ArrayCase<BFloat16> c({.heads = 4, .queries = 3, .keys = 300, .head_size = 128, .causal = true}, {300});
  CHECK_THAT(verdict_on<Large>(c, c.whole, 2), IsProved());
}

TEST_CASE("a step may start while the grid runs that writes the last key", "[decode]") {
  if (!dma::proof::sees_every_access) {
    SKIP("grids are judged together where a proof sees every access");
  }
  for (const int keys : {65, 64}) {
    StepOfGrids step(keys, 1);
    CAPTURE(keys);
    CHECK_THAT(step.verdict_behind(dma::proof::Grid(Append{}, {1}, step.c.p)), IsProved());
  }
}

TEST_CASE("a step may start while the step before it runs, whose workspace it has", "[decode]") {
  if (!dma::proof::sees_every_access) {
    SKIP("grids are judged together where a proof sees every access");
  }
  StepOfGrids step(130, 2);
  REQUIRE(step.plan.slots > 0);  // two CTAs share a head
  CHECK_THAT(step.verdict_behind(step.grid()), IsProved());
}
