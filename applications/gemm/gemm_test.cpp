// Products on the emulator: small integers, so that sums are exact in any order, against sums in double.

#include "host.hpp"
#include "multiply.hpp"
#include "plan.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <catch2/matchers/catch_matchers_vector.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using gemm::BFloat16;
using gemm::Half;
using gemm::Plan;
using gemm::Problem;

/// A problem with its arrays. What a kernel must not read is NaN, what it must not write stays NaN.
template <class Element>
struct Case {
  static constexpr float not_a_number = __builtin_nanf("");
  int pad;
  std::vector<Element> memory_a, memory_b, memory_c, bias;
  Problem<Element> p;

  Case(int m, int n, int k, int pad_of_rows = 0, bool has_bias = false, bool adds_c = false)
      : pad(pad_of_rows), p{m, n, k, nullptr, k + pad, nullptr, k + pad, nullptr, n + pad} {
    fill(memory_a, m, k, p.lda, 1);
    fill(memory_b, n, k, p.ldb, 2);
    fill(memory_c, m, n, p.ldc, 3);
    fill(bias, 1, n, n, 4);
    p.a = aligned(memory_a);
    p.b = aligned(memory_b);
    p.c = aligned(memory_c);
    p.bias = has_bias ? aligned(bias) : nullptr;
    p.adds_c = adds_c;
  }

  /// Runs the plan. Returns the elements of C that are wrong, and those beside it that were written.
  int wrong_with(const Plan& plan) {
    std::vector<float> expected(memory_c.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i] = static_cast<float>(memory_c[i]);
    }
    for (int i = 0; i < p.m; ++i) {
      for (int j = 0; j < p.n; ++j) {
        double sum = p.bias != nullptr ? static_cast<double>(static_cast<float>(p.bias[j])) : 0;
        for (int l = 0; l < p.k; ++l) {
          sum += static_cast<double>(static_cast<float>(p.a[i * p.lda + l])) * static_cast<float>(p.b[j * p.ldb + l]);
        }
        float& c = expected[static_cast<std::size_t>(p.c - memory_c.data() + i * p.ldc + j)];
        c = static_cast<float>(static_cast<Element>(static_cast<float>(sum) + (p.adds_c ? c : 0)));
      }
    }
    gemm::multiply_on_host(p, plan);
    int wrong = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto c = static_cast<float>(memory_c[i]);
      wrong += c == expected[i] || (c != c && expected[i] != expected[i]) ? 0 : 1;
    }
    return wrong;
  }

 private:
  /// The matrix is in the middle of the array.
  static Element* aligned(std::vector<Element>& memory) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    return memory.data() + 8 + (16 - address % 16) % 16 / sizeof(Element);
  }
  static void fill(std::vector<Element>& memory, int rows, int columns, long long distance, unsigned seed) {
    memory.assign(static_cast<std::size_t>(rows * distance) + 24, static_cast<Element>(not_a_number));
    std::minstd_rand random(seed);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        aligned(memory)[i * distance + j] =
            static_cast<Element>(static_cast<float>(static_cast<int>(random() % 7) - 3));
      }
    }
  }
};

}  // namespace

TEST_CASE("tiles of 64 rows are exact too", "[gemm]") {
  CHECK(Case<BFloat16>(130, 136, 200, 8, true, true).wrong_with(gemm::make_plan(130, 136, 200, 4, {64, 64}, 0)) == 0);
  CHECK(Case<BFloat16>(33, 72, 520).wrong_with(gemm::make_plan(33, 72, 520, 5, {64, 64}, 2)) == 0);
}

TEST_CASE("tiles of 144 columns are exact too, whose last slot begins within the one before", "[gemm]") {
  CHECK(Case<BFloat16>(130, 296, 136, 8, true, true).wrong_with(gemm::make_plan(130, 296, 136, 2, {128, 144}, 0)) == 0);
}

TEST_CASE("tiles of the transpose are exact too", "[gemm]") {
  CHECK(Case<BFloat16>(1, 136, 200, 8, true, true).wrong_with(gemm::make_plan(1, 136, 200, 2, {64, 16, true}, 0)) == 0);
  CHECK(Case<Half>(33, 72, 520, 0, true, true).wrong_with(gemm::make_plan(33, 72, 520, 5, {64, 16, true}, 4)) == 0);
  CHECK(Case<Half>(200, 136, 200, 8, true, true).wrong_with(gemm::make_plan(200, 136, 200, 3, {128, 96, true}, 0)) ==
        0);
}

TEST_CASE("tiles that the CTAs of a cluster load together are exact too", "[gemm]") {
  for (const gemm::TileShape& shape : gemm::cluster_shapes) {
    CAPTURE(shape.columns);
    CHECK(Case<BFloat16>(300, 264, 200, 8, true, true).wrong_with(gemm::make_plan(300, 264, 200, 2, shape, 0)) == 0);
  }
}

TEST_CASE("tiles whose k the CTAs of a cluster divide are exact too", "[gemm]") {
  constexpr gemm::TileShape shape{.rows = 128, .columns = 128, .deep = 2};
  CHECK(Case<BFloat16>(300, 264, 328, 8, true, true).wrong_with(gemm::make_plan(300, 264, 328, 9, shape, 0)) == 0);
  CHECK(Case<Half>(1, 8, 72).wrong_with(gemm::make_plan(1, 8, 72, 1, shape, 0)) == 0);
}

TEST_CASE("tiles of 192 columns are exact too", "[gemm]") {
  CHECK(Case<BFloat16>(130, 392, 136).wrong_with(gemm::make_plan(130, 392, 136, 2, {128, 192}, 0)) == 0);
}

TEMPLATE_TEST_CASE("products of any shape are exact where fp32 can be", "[gemm]", BFloat16, Half) {
  for (const int columns : {64, 128, 256}) {
    CAPTURE(columns);
    CHECK(Case<TestType>(128, 256, 128).wrong_with(gemm::make_plan(128, 256, 128, 1, {128, columns}, 0)) == 0);
    CHECK(Case<TestType>(130, 264, 72, 8, true, true).wrong_with(gemm::make_plan(130, 264, 72, 3, {128, columns}, 0)) ==
          0);
    CHECK(Case<TestType>(1, 8, 8).wrong_with(gemm::make_plan(1, 8, 8, 1, {128, columns}, 0)) == 0);
  }
}

TEST_CASE("tiles of which several CTAs sum a part are exact too", "[gemm]") {
  for (const int ctas : {2, 3, 5}) {
    CAPTURE(ctas);
    Case<BFloat16> c(130, 136, 200, 8, true, true);
    CHECK(c.wrong_with(gemm::make_plan(130, 136, 200, ctas, {128, 128}, 3)) == 0);
  }
  CHECK(Case<Half>(128, 64, 520).wrong_with(gemm::make_plan(128, 64, 520, 9, {128, 64}, 1)) == 0);
}

TEST_CASE("parts of the tiles of clusters that a second launch adds up are exact too", "[gemm]") {
  for (const gemm::TileShape& shape : gemm::cluster_shapes) {
    CAPTURE(shape.columns);
    Case<BFloat16> c(300, 264, 648, 8, true, true);
    CHECK(c.wrong_with(gemm::make_plan(300, 264, 648, 2, shape, 1)) == 0);
  }
  // More parts than are loaded together, and fewer blocks than all clusters could take.
  const gemm::TileShape shape{.rows = 128, .columns = 128, .down = 2};
  Case<Half> many(256, 128, 64 * 72);
  CHECK(many.wrong_with(gemm::make_plan(256, 128, 64 * 72, 18, shape, 1)) == 0);
  Case<Half> few(300, 128, 64 * 9);
  CHECK(few.wrong_with(gemm::make_plan(300, 128, 64 * 9, 9, shape, 2)) == 0);
}

TEST_CASE("the pieces of all CTAs are each block of each tile once", "[gemm]") {
  for (const int divided : {0, 1, 5, 12}) {
    for (const int ctas : {1, 4, 7, 12}) {
      CAPTURE(divided, ctas);
      const Plan plan = gemm::make_plan(500, 700, 1000, ctas, {128, 256}, divided);
      REQUIRE(plan.tiles() == 12);
      std::vector<int> times(static_cast<std::size_t>(12 * plan.blocks()));
      for (int cta = 0; cta < ctas; ++cta) {
        int parts = 0;
        gemm::Pieces(plan, cta).for_each([&](const gemm::Piece& piece) {
          parts += plan.is_whole(piece) ? 0 : 1;
          for (int at = piece.first; at < piece.last; ++at) {
            ++times[static_cast<std::size_t>(piece.tile * plan.blocks() + at)];
          }
        });
        REQUIRE(parts <= 2);
      }
      REQUIRE(times == std::vector<int>(times.size(), 1));
    }
  }
}

TEST_CASE("clusters that find no blocks of a divided tile have no pieces", "[gemm]") {
  constexpr gemm::TileShape shape{.rows = 128, .columns = 256, .down = 2};
  for (const int divided : {1, 2, 5}) {
    CAPTURE(divided);
    const Plan plan = gemm::make_plan(500, 1700, 1000, 40, shape, divided);
    std::vector<int> times(static_cast<std::size_t>(plan.tiles() * plan.blocks()));
    for (int cluster = 0; cluster < plan.ctas; ++cluster) {
      gemm::Pieces(plan, cluster).for_each([&](const gemm::Piece& piece) {
        REQUIRE((plan.is_whole(piece) || piece.last == plan.blocks() || piece.first == 0 ||
                 piece.last - piece.first >= gemm::least_share));
        for (int at = piece.first; at < piece.last; ++at) {
          ++times[static_cast<std::size_t>(piece.tile * plan.blocks() + at)];
        }
      });
    }
    REQUIRE(times == std::vector<int>(times.size(), 1));
  }
}

TEST_CASE("plans of rows that are not aligned are made of the distances of rows", "[gemm]") {
  Case<BFloat16> c(1000, 1096, 512);
  c.p.a = c.p.b = reinterpret_cast<const BFloat16*>(std::uintptr_t{1024});
  CHECK(gemm::rows_are_aligned(c.p));
  CHECK(describe(gemm::make_plan(3000, 3000, 3008, 132, true)) == "384 tiles of 128 x 192, 128 CTAs");
  CHECK(describe(gemm::make_plan(3000, 3000, 3008, 132, false)) == describe(gemm::make_plan(3000, 3000, 3000, 132)));
  c.p.ldb += 8;
  CHECK(!gemm::rows_are_aligned(c.p));
  c.p.ldb += 56;
  CHECK(gemm::rows_are_aligned(c.p));
  ++c.p.a;
  CHECK(!gemm::rows_are_aligned(c.p));
}

TEST_CASE("the tiles of a plan are all of C once, bands of rows after one another", "[gemm]") {
  const Plan plan = gemm::make_plan(128 * 35, 256 * 3, 64, 7, {128, 256}, 0);
  std::vector<int> times(35 * 3);
  for (int tile = 0; tile < plan.tiles(); ++tile) {
    REQUIRE(plan.row_of(tile) / 128 / plan.band == tile / (3 * plan.band));
    ++times[static_cast<std::size_t>(plan.row_of(tile) / 128 * 3 + plan.column_of(tile) / 256)];
  }
  REQUIRE(times == std::vector<int>(times.size(), 1));
}

TEST_CASE("the tiles that run at the same time are a rectangle of C, in no more waves than on all SMs", "[gemm]") {
  constexpr int sms = 132;
  struct Product {
    int m, n, k, waves;
  };
  for (const auto& [m, n, k, waves] : {Product{4096, 4096, 4096, 4},
                                       {8192, 8192, 8192, 16},
                                       {4096, 14336, 4096, 14},
                                       {16384, 1280, 8192, 5},
                                       {6144, 6144, 6144, 9},
                                       {512, 14336, 4096, 2},
                                       {3000, 3000, 3000, 3},
                                       {5000, 2504, 1304, 4},
                                       {2048, 2048, 2048, 1}}) {
    CAPTURE(m, n, k);
    const Plan plan = gemm::make_plan(m, n, k, sms);
    REQUIRE(plan.ctas * waves >= plan.tiles());
    REQUIRE(plan.ctas * (waves - 1) < plan.tiles());
    for (int first = 0; first < plan.tiles(); first += plan.ctas) {
      std::set<int> rows;
      std::set<int> columns;
      const int last = std::min(first + plan.ctas, plan.tiles());
      for (int tile = first; tile < last; ++tile) {
        rows.insert(plan.row_of(tile));
        columns.insert(plan.column_of(tile));
      }
      CHECK(std::ssize(rows) * std::ssize(columns) == last - first);
    }
  }
}

/// Plans within 3% of the fastest of all that the kernels can have, in trials on an H200: bursts, medians.
TEST_CASE("the plan of a product is one of the fastest that were measured", "[gemm]") {
  struct Measured {
    int m, n, k;
    std::vector<std::string> fastest;
  };
  const Measured products[] = {
      {777, 1000, 1000, {"112 tiles of 128 x 64, 112 CTAs in clusters of 4"}},
      {1000, 1096, 520, {"128 tiles of 128 x 72, 128 CTAs in clusters of 2"}},
      {256, 256, 16384, {"8 tiles of 128 x 64, 120 CTAs in clusters of 4, 8 tiles divided and added later"}},
      {512,
       512,
       8192,
       {"16 tiles of 128 x 128, 128 CTAs in clusters of 2, 16 tiles divided and added later",
        "16 tiles of 128 x 128, 112 CTAs in clusters of 4, 16 tiles divided and added later"}},
      {12000, 128, 4096, {"125 tiles of 128 x 96 of the transpose, 125 CTAs"}},
      {128, 8192, 8192, {"64 tiles of 128 x 128, 128 CTAs in clusters of 2 that divide k"}},
      {1024, 1024, 8192, {"64 tiles of 128 x 128, 128 CTAs in clusters of 2 that divide k"}},
      {256, 4096, 4096, {"64 tiles of 128 x 128, 128 CTAs in clusters of 2 that divide k"}},
      {256, 8192, 8192, {"128 tiles of 128 x 128, 128 CTAs in clusters of 2"}},
      {512, 4096, 4096, {"128 tiles of 128 x 128, 128 CTAs"}},
      {5000, 2504, 1304, {"520 tiles of 128 x 208, 130 CTAs in clusters of 2"}},
      {3000, 3000, 3000, {"384 tiles of 128 x 192, 128 CTAs in clusters of 2"}},
      {64, 8192, 8192, {"128 tiles of 64 x 64, 128 CTAs"}},
      {512, 512, 512, {"64 tiles of 64 x 64, 64 CTAs"}},
      {512, 14336, 4096, {"224 tiles of 128 x 256, 112 CTAs"}},
      {3072, 3072, 3072, {"384 tiles of 128 x 192, 128 CTAs"}},
      {16384, 1280, 8192, {"640 tiles of 128 x 256, 130 CTAs"}},
      {8192, 8192, 8192, {"2048 tiles of 128 x 256, 128 CTAs"}}};
  for (const auto& [m, n, k, fastest] : products) {
    CAPTURE(m, n, k);
    CHECK_THAT(fastest, Catch::Matchers::VectorContains(describe(gemm::make_plan(m, n, k, 132))));
  }
}

TEST_CASE("B is not kept in the L2 where bands are far apart, and columns that are read together fit", "[gemm]") {
  const auto streams = [](int m, int n, int k) { return gemm::make_plan(m, n, k, 132).shape.streams; };
  CHECK(streams(4096, 14336, 4096));        // B of 117 MB, of which 128 CTAs read 17 MB at a time
  CHECK_FALSE(streams(16384, 1280, 8192));  // B of 21 MB
  CHECK_FALSE(streams(4096, 4096, 14336));  // 59 MB at a time
  CHECK_FALSE(streams(8192, 8192, 8192));   // 34 MB
  CHECK_FALSE(streams(256, 14336, 4096));   // one band
}

TEST_CASE("the plan of a product runs on a GPU of any number of multiprocessors", "[gemm]") {
  for (int sms = 1; sms <= 264; ++sms) {
    for (const int m : {1, 17, 130, 777, 12000}) {
      for (const int n : {8, 264, 4096}) {
        for (const int k : {8, 1000, 16384}) {
          CAPTURE(sms, m, n, k);
          const Plan plan = gemm::make_plan(m, n, k, sms);
          const gemm::TileShape& shape = plan.shape;
          REQUIRE(std::ranges::count(gemm::kernel_shapes, shape) + std::ranges::count(gemm::cluster_shapes, shape) +
                      std::ranges::count(gemm::split_shapes, shape) ==
                  1);
          REQUIRE(plan.ctas >= 1);
          REQUIRE(plan.ctas * shape.ctas() <= sms);
          REQUIRE((plan.ctas <= plan.tiles() || plan.whole() == 0));
          REQUIRE((!plan.adds_later() || plan.divided.ctas == 1 ||
                   plan.divided.units() >= plan.divided.ctas * gemm::least_share));
          REQUIRE(plan.down * shape.down * shape.rows >= (shape.is_transposed ? n : m));
          REQUIRE(plan.across * shape.across * shape.columns >= (shape.is_transposed ? m : n));
        }
      }
    }
  }
}

TEST_CASE("what no kernel takes is refused with the way out", "[gemm]") {
  using Catch::Matchers::ContainsSubstring;
  using Catch::Matchers::MessageMatches;
  const auto refuses = [](auto change, const char* sentence) {
    Case<Half> c(8, 16, 24);
    change(c.p);
    CHECK_THROWS_MATCHES(gemm::expect_valid(c.p), std::invalid_argument, MessageMatches(ContainsSubstring(sentence)));
  };
  refuses([](auto& p) { p.n = 12; }, "m, n and k are 8, 12 and 24; give positive ones, n and k multiples of 8");
  refuses([](auto& p) { p.m = 0; }, "give positive ones");
  refuses([](auto& p) { ++p.a; }, "A begins at an address");
  refuses([](auto& p) { p.c = nullptr; }, "C begins at an address");
  refuses([](auto& p) { p.ldb = 16; }, "the rows of B are 16 elements apart and have 24");
  refuses([](auto& p) { p.ldc = 20; }, "make the distance a multiple of 8");
  CHECK_THROWS_MATCHES(gemm::make_plan(128, 64, 128, 1, {128, 64}, 2), std::invalid_argument,
                       MessageMatches(ContainsSubstring("C has 1 tiles, and 2 are to be divided")));
  CHECK_THROWS_MATCHES(gemm::make_plan(128, 64, 128, 3, {128, 64}, 1), std::invalid_argument,
                       MessageMatches(ContainsSubstring("1 tiles have 2 blocks of k, too few or too many for 3 CTAs")));
  CHECK_THROWS_MATCHES(
      gemm::make_plan(512, 512, 40'000'000, 128, {64, 64}, 64), std::invalid_argument,
      MessageMatches(ContainsSubstring("64 tiles have 40000000 blocks of k, too few or too many for 128 CTAs")));
  CHECK_THROWS_MATCHES(gemm::make_plan(256, 128, 128, 1, {.rows = 128, .columns = 128, .deep = 2}, 0),
                       std::invalid_argument,
                       MessageMatches(ContainsSubstring("there are 2 tiles of 2 blocks for 1 clusters")));
  CHECK_THROWS_MATCHES(gemm::make_plan(128, 128, 64, 1, {.rows = 128, .columns = 128, .deep = 2}, 0),
                       std::invalid_argument,
                       MessageMatches(ContainsSubstring("there are 1 tiles of 1 blocks for 1 clusters")));
  CHECK_THROWS_MATCHES(gemm::make_plan(128, 64, 128, 0, {128, 64}, 0), std::invalid_argument,
                       MessageMatches(ContainsSubstring("a plan of 0 CTAs; give at least one")));
  CHECK_THROWS_MATCHES(gemm::make_plan(128, 64, 128, 0), std::invalid_argument,
                       MessageMatches(ContainsSubstring("a plan of 0 CTAs; give at least one")));
  CHECK_THROWS_MATCHES(Case<Half>(128, 96, 64).wrong_with(gemm::make_plan(128, 96, 64, 1, {128, 96}, 0)),
                       std::invalid_argument, MessageMatches(ContainsSubstring("no kernel has tiles of 128 x 96")));
}
