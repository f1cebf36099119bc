#include <dma/dma.hpp>
#include <dma/tune/bandwidth_report.hpp>
#include <dma/tune/fastest.hpp>
#include <dma/tune/tune_report.hpp>
#include <dma/tune/tuned_answer.hpp>
#include <dma/tune/variant_space.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using dma::tuning::EngineKind;
using dma::tuning::Space;
using dma::tuning::Variant;

constexpr Space space{.tile_bytes = {1024, 4096, 8192},
                      .stages = {1, 2},
                      .dma_groups = {1, 2},
                      .engine = {EngineKind::bulk_copy, EngineKind::register_copy}};

constexpr Variant odd{.tile_bytes = 512, .stages = 3, .dma_warps = 2, .dma_groups = 3};
static_assert(
    std::is_same_v<dma::tuning::Layout<odd>, dma::WarpLayout<dma::Compute<4>, dma::Dma<2>, dma::Dma<2>, dma::Dma<2>>>);
static_assert(
    std::is_same_v<dma::tuning::Layout<Variant{.compute_warps = 2, .dma_warps = 0}>, dma::WarpLayout<dma::Compute<2>>>);
using Tile = dma::Sequential<float, odd.tile_bytes / 4>;
static_assert(
    std::is_same_v<dma::tuning::Pipeline<odd, Tile>,
                   dma::DmaPipeline<Tile, dma::MultiBuffer<dma::tuning::Layout<odd>, 3, dma::DmaGroups{.count = 3}>>>);
static_assert(
    std::is_same_v<dma::tuning::Pipeline<Variant{.engine = EngineKind::async_copy}, Tile>::Engine, dma::AsyncCopy<>>);

}  // namespace

TEST_CASE("a space is every combination of its values, each once") {
  STATIC_REQUIRE(space.count() == 3 * 2 * 2 * 2);
  std::set<std::string> seen;
  for (int i = 0; i < space.count(); ++i) {
    const Variant variant = space[i];
    CHECK((variant.tile_bytes == 1024 || variant.tile_bytes == 4096 || variant.tile_bytes == 8192));
    CHECK((variant.stages == 1 || variant.stages == 2));
    CHECK(variant.compute_warps == Variant{}.compute_warps);
    seen.insert(dma::tuning::to_text(variant));
  }
  CHECK(seen.size() == 24);
  STATIC_REQUIRE(Space{}.count() == 1);
  STATIC_REQUIRE(Space{}[0] == Variant{});
}

TEST_CASE("a predicate leaves variants by their values or by their types") {
  constexpr auto one_stage = dma::tuning::select<space>([](Variant v) { return v.stages == 1 && v.fits_an_sm(); });
  STATIC_REQUIRE(one_stage.count() == 6);  // of one group
  STATIC_REQUIRE(one_stage.excluded == 18);
  // Rows of 64 bytes: a bulk copy each is off the fast path.
  constexpr auto fast = dma::tuning::select<one_stage>([]<Variant V>() {
    using Rows = dma::Strided<float, 16, V.tile_bytes / 64, dma::RowLayout{.alignment = 16}>;
    return dma::explain<dma::tuning::Pipeline<V, Rows>>().is_fast();
  });
  STATIC_REQUIRE(fast.count() == 3);
  STATIC_REQUIRE(fast.excluded == 21);
  for (int i = 0; i < fast.count(); ++i) {
    CHECK(fast[i].stages == 1);
    CHECK(fast[i].engine == EngineKind::register_copy);
  }
}

TEST_CASE("a variant's text is C++ with the members that are not the defaults") {
  CHECK(dma::tuning::to_text(Variant{}) == "dma::tuning::Variant{}");
  CHECK(dma::tuning::to_text(Variant{.stages = 2, .ctas_per_sm = 3, .engine = EngineKind::async_copy}) ==
        "dma::tuning::Variant{.stages = 2, .ctas_per_sm = 3, .engine = dma::tuning::EngineKind::async_copy}");
}

TEST_CASE("a variant fits an SM by shared memory, warps and whole rounds of its groups") {
  // 228 KB: 6 CTAs of 36 KB, 128 bytes of barriers and 1 KB of the system's are 223 KB, 7 of them 260.
  CHECK(Variant{.tile_bytes = 4096, .stages = 9, .ctas_per_sm = 6}.fits_an_sm());
  CHECK_FALSE(Variant{.tile_bytes = 4096, .stages = 9, .ctas_per_sm = 7}.fits_an_sm());
  CHECK_FALSE(Variant{.tile_bytes = 4096, .stages = 9, .ctas_per_sm = 6}.fits_an_sm(1024));
  // 64 warps an SM, 32 a CTA.
  CHECK(Variant{.compute_warps = 15, .ctas_per_sm = 4}.fits_an_sm());
  CHECK_FALSE(Variant{.compute_warps = 16, .ctas_per_sm = 4}.fits_an_sm());
  CHECK_FALSE(Variant{.compute_warps = 32}.fits_an_sm());
  CHECK_FALSE(Variant{.stages = 3, .dma_groups = 2}.fits_an_sm());
}

/// Whether the pipelines of a variant's CTAs fit the 228 KB of an SM, by what they are and not by its members.
template <Variant V>
consteval bool storage_fits() {
  using Pipe = dma::tuning::Pipeline<V, dma::Sequential<float, V.tile_bytes / 4>>;
  return V.ctas_per_sm * (static_cast<int>(sizeof(typename Pipe::Storage)) + 1024) <= 228 * 1024;
}

TEST_CASE("automatic stages are counted as the pipeline has them") {
  constexpr Space automatic{.tile_bytes = {512, 3072, 4096, 12288, 45056},
                            .compute_warps = {1},
                            .dma_warps = {0, 1},
                            .dma_groups = {1, 3},
                            .ctas_per_sm = {1, 2, 4, 5, 32}};
  constexpr auto fitting = dma::tuning::select<automatic>([](Variant v) { return v.fits_an_sm(); });
  constexpr auto by_storage =
      dma::tuning::select<automatic>([]<Variant V>() { return V.ctas_per_sm * V.warps() <= 64 && storage_fits<V>(); });
  STATIC_REQUIRE(fitting.count() == by_storage.count());
  STATIC_REQUIRE(fitting.count() < automatic.count());
  for (int i = 0; i < fitting.count(); ++i) {
    CHECK(dma::tuning::to_text(fitting[i]) == dma::tuning::to_text(by_storage[i]));
  }
}

namespace own {

/// What a kernel of one's own leaves open.
struct Shape {
  int columns = 1;
  bool is_ahead = false;

  friend constexpr bool operator==(const Shape&, const Shape&) = default;
};

std::string to_text(const Shape& shape) { return "own::Shape{" + std::to_string(shape.columns) + "}"; }

constexpr dma::tuning::List shapes{{Shape{8, false}, Shape{16, true}, Shape{32, true}}};

}  // namespace own

TEST_CASE("values of a type of one's own are variants, excluded by their values or as template arguments") {
  STATIC_REQUIRE(own::shapes.count() == 3);
  constexpr auto ahead = dma::tuning::select<own::shapes>([](own::Shape shape) { return shape.is_ahead; });
  STATIC_REQUIRE(ahead.count() == 2);
  STATIC_REQUIRE(ahead.excluded == 1);
  STATIC_REQUIRE(ahead[0] == own::Shape{16, true});
  constexpr auto narrow =
      dma::tuning::select<ahead>([]<own::Shape shape>() { return sizeof(char[shape.columns]) < 32; });
  STATIC_REQUIRE(narrow.count() == 1);
  STATIC_REQUIRE(narrow.excluded == 2);
  STATIC_REQUIRE(narrow[0].columns == 16);
}

TEST_CASE("the report of such values has their text, and a line of C++ of their type") {
  dma::tuning::Report<own::Shape> report;
  report.variants = {{.variant = {16, true}, .seconds = 1e-5, .rounds = 3, .refused = {}},
                     {.variant = {8, false}, .refused = "too large"}};
  const std::string text = report.to_text();
  CHECK(text.find("1.000 of the best  +- 0.0%  own::Shape{16}\n") != std::string::npos);
  CHECK(text.find("refused: own::Shape{8}: too large\n") != std::string::npos);
  CHECK(text.ends_with("constexpr own::Shape best = own::Shape{16};\n"));
}

TEST_CASE("the fastest candidate is found although single samples say otherwise") {
  // Each third sample of any candidate is three times too long, and candidate 2 is the fastest by 3%.
  const std::vector<double> seconds{1.5, 1.03, 1.0, 2.0, 1.2};
  std::vector<int> calls(seconds.size());
  int lefts = 0;
  const auto found = dma::tuning::detail::find_fastest(
      5,
      [&](int candidate) {
        const auto i = static_cast<std::size_t>(candidate);
        return seconds[i] * (++calls[i] % 3 == 0 ? 3 : 1);
      },
      [] { return false; }, {}, [&](int) { ++lefts; });
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    CHECK(found[i].samples.median() == seconds[i]);
    CHECK(found[i].samples.count() == calls[i]);
  }
  CHECK(found[2].rounds == lefts);
  CHECK(found[3].rounds == 1);  // slower than the fastest by more than 30%
  CHECK(found[4].rounds == 2);  // by more than 15%
  CHECK(found[1].rounds > found[4].rounds);
}

TEST_CASE("a search out of time has measured every candidate once a sample of the first round") {
  int calls = 0;
  const auto found = dma::tuning::detail::find_fastest(
      7, [&](int candidate) { return ++calls, 1.0 + candidate * 0.001; }, [] { return true; });
  CHECK(calls == 7 * dma::tuning::Limits{}.samples_a_round);
  CHECK(found[6].samples.count() == dma::tuning::Limits{}.samples_a_round);
}

TEST_CASE("equally fast candidates are measured until the limit of samples") {
  const auto found = dma::tuning::detail::find_fastest(
      3, [](int) { return 1.0; }, [] { return false; });
  CHECK(found[0].samples.count() == dma::tuning::Limits{}.most_samples);
  CHECK(found[0].samples.spread() == 0);
}

TEST_CASE("an exhaustive search measures slow candidates as often as fast ones") {
  const auto found = dma::tuning::detail::find_fastest(
      4, [](int candidate) { return 1.0 + candidate; }, [] { return false; }, dma::tuning::exhaustive);
  for (const dma::tuning::detail::MeasuredCandidate& each : found) {
    CHECK(each.samples.count() == dma::tuning::Limits{}.most_samples);
    CHECK(each.rounds == found[0].rounds);
  }
}

TEST_CASE("answers differ by a share of the largest element, and without limit where one is no number") {
  const float expected[] = {1, -8, 0.5F};
  const float found[] = {1, -8.25F, 0.5F};
  CHECK(dma::tuning::detail::largest_difference(expected, expected, 3) == 0);
  CHECK(dma::tuning::detail::largest_difference(expected, found, 3) == 0.25 / 8);
  const float hole[] = {1, std::numeric_limits<float>::quiet_NaN(), 0.5F};
  CHECK(std::isinf(dma::tuning::detail::largest_difference(expected, hole, 3)));
  CHECK(std::isinf(dma::tuning::detail::largest_difference(hole, hole, 3)));
  const int zeros[] = {0, 0};
  const int ones[] = {0, 1};
  CHECK(std::isinf(dma::tuning::detail::largest_difference(zeros, ones, 2)));
}

TEST_CASE("effective bandwidth is bytes read and written over time, beside the ceilings that are known") {
  // The article's copyRow: 2^24 floats in 1.610 ms on a GPU with 112 GB/s.
  dma::tuning::BandwidthReport report{"copyRow", {.read = 0x1p26, .written = 0x1p26}, 1.610e-3, {.theoretical = 112e9}};
  CHECK(std::abs(report.bytes_per_second() - 83.3650e9) < 1e6);
  CHECK(std::abs(report.share_of_theoretical() - 83.3650 / 112) < 1e-5);
  CHECK(report.to_text() ==
        "copyRow                      67.11 MB read     67.11 MB written    1610.00 us    83.4 GB/s   74.4% of the "
        "theoretical bandwidth");
  report.ceilings.copy = 100e9;
  CHECK(report.to_text().ends_with("theoretical bandwidth   83.4% of cudaMemcpy"));
  CHECK(std::abs(report.share_of_copy() - 0.83365) < 1e-5);
}

TEST_CASE("a report lists the fastest first, the refused with their reasons, and a line of C++") {
  dma::tuning::Report<> report;
  report.variants = {{.variant = {.stages = 4}, .seconds = 1e-5, .rounds = 3, .refused = {}},
                     {.variant = {.stages = 2}, .seconds = 2e-5, .rounds = 1, .refused = {}},
                     {.variant = {.stages = 16}, .refused = "too large"}};
  report.excluded = 5;
  report.bytes = 4e7;
  const std::string text = report.to_text();
  CHECK(text.find("     10.00 us  1.000 of the best  +- 0.0%   4000 GB/s  dma::tuning::Variant{.stages = 4}\n") !=
        std::string::npos);
  CHECK(text.find("     20.00 us  0.500 of the best  +- 0.0%   2000 GB/s  dma::tuning::Variant{.stages = 2}\n") !=
        std::string::npos);
  CHECK(text.find("refused: dma::tuning::Variant{.stages = 16}: too large\n") != std::string::npos);
  CHECK(text.find("2 measured, 1 refused, 5 excluded before they were compiled\n") != std::string::npos);
  CHECK(text.ends_with("constexpr dma::tuning::Variant best = dma::tuning::Variant{.stages = 4};\n"));
}
