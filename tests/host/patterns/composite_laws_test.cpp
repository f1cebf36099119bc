#include <dma/host/laws.hpp>
#include <dma/patterns/concat.hpp>
#include <dma/patterns/indirect.hpp>
#include <dma/patterns/repeat.hpp>
#include <dma/patterns/sequential.hpp>
#include <dma/patterns/strided.hpp>
#include <dma/patterns/tile2d.hpp>
#include <dma/patterns/tile3d.hpp>
#include <dma/patterns/tile_laws.hpp>

#include "host/patterns/moved_bytes.hpp"
#include "kernels/shapes.hpp"

#include <algorithm>
#include <cstdint>

using namespace moved_bytes;

namespace {

/// Adds what a simple pattern moves, displaced on both sides.
template <class Pattern>
void expect_part(Expectation& expected, const Pattern& pattern, long long global_bytes, int shared_bytes) {
  shapes::visit(
      pattern,
      [&](long long global, int shared, int bytes) {
        expected.element(global_bytes + global, shared_bytes + shared, bytes);
      },
      [&](int shared, const auto& value) { expected.fill(shared_bytes + shared, value); });
}

/// Two parts that stay apart in global memory, so that a store has one answer: columns 0 to Cols of rows, and a box of
/// the columns from Cols on. `begin` is where the box begins in the tile.
template <class T, int Cols, int Rows, int BoxCols, int Begin>
void check_rows_and_box(auto& bench, const T& fill) {
  constexpr int size = sizeof(T);
  using Block = dma::Strided<T, Cols, Rows>;
  using Box = dma::Tile2D<T, BoxCols, Rows>;
  const long long pitch = (Cols + BoxCols + 16 / std::min(size, 16)) * 16LL * size;
  for (int rows = 0; rows <= Rows; ++rows) {
    for (int array_cols = Cols - 1; array_cols <= Cols + BoxCols + 1; ++array_cols) {
      for (int array_rows = 0; array_rows <= Rows + 1; ++array_rows) {
        const Block block{pitch, rows, Cols};
        const Box box{pitch, array_rows, array_cols, 0, Cols, fill};
        const auto both = dma::Concat{block, box};
        STATIC_REQUIRE(decltype(both)::template part_shared_bytes<1>() == Begin);
        Expectation expected;
        expect_part(expected, block, 0, 0);
        expect_part(expected, box, 0, Begin);
        REQUIRE(both.is_valid());
        REQUIRE(both.is_full() == (block.is_full() && expected.fills.empty()));
        bench.check(both, 1, expected);
      }
    }
  }
}

template <class T, int Count, int Copies, int Alignment>
void check_repeated_sequence(auto& bench) {
  constexpr int size = sizeof(T);
  using Pattern = dma::Repeat<dma::Sequential<T, Count, Alignment>, Copies>;
  STATIC_REQUIRE(dma::AffinePattern<Pattern>);
  STATIC_REQUIRE(Pattern::tile_bytes == Copies * Count * size);
  for (const long long distance :
       {Count * size + 0LL, Count * size + 3LL * Alignment, -Count * size - 5LL * Alignment}) {
    for (int copies = 0; copies <= Copies; ++copies) {
      for (int n = 0; n <= Count; ++n) {
        const Pattern pattern{{n}, distance, copies};
        if (copies > 0 && Copies > 1 && n * size % Alignment != 0) {
          REQUIRE_FALSE(pattern.is_valid());
          continue;
        }
        Expectation expected;
        for (int copy = 0; copy < copies; ++copy) {
          expected.element(copy * distance, copy * Count * size, n * size);
        }
        REQUIRE(pattern.is_valid());
        REQUIRE(pattern.size() == copies * n);
        bench.check(pattern, 1, expected);
      }
    }
  }
}

/// Two blocks in one tile, the second `Begin` bytes after its start. Two blocks of 4 rows of 16 floats need 512 bytes.
template <int Rows, int Pitch, int Begin, int TileBytes, int Alignment = 16>
struct Pair {
  using Element = float;
  using Block = dma::Strided<float, 16, Rows, dma::RowLayout{.pitch_bytes = Pitch}>;

  static constexpr int part_count = 2;
  static constexpr int tile_bytes = TileBytes;
  static constexpr int max_run_count = 2 * Rows;
  static constexpr int max_run_bytes = 64;
  static constexpr int run_alignment = Alignment;

  template <int>
  constexpr Block part() const {
    return {};
  }
  template <int Index>
  static constexpr int part_shared_bytes() {
    return Index * Begin;
  }
  constexpr bool is_full() const { return true; }
  constexpr int size() const { return 2 * Rows * 16; }
  constexpr int run_count() const { return dma::detail::run_count_of_parts(*this); }
  constexpr dma::Run run_at(int run) const { return dma::detail::run_of_parts(*this, run); }
};
template <class Pattern>
constexpr bool keeps_tile_laws = dma::detail::keeps_alignment<Pattern>() && dma::detail::stays_inside_tile<Pattern>() &&
                                 dma::detail::keeps_uniformity<Pattern>() && dma::detail::keeps_runs_apart<Pattern>();

/// Copies of a box that hangs over the edge of each of several arrays, one after another.
template <class T, int Cols, int Rows, int Copies, int PitchBytes>
void check_repeated_box(auto& bench, const T& fill) {
  constexpr int size = sizeof(T);
  using Box = dma::Tile2D<T, Cols, Rows, dma::RowLayout{.pitch_bytes = PitchBytes, .alignment = alignof(T)}>;
  constexpr int copy_bytes = (Rows - 1) * PitchBytes + Cols * size;
  const int array_rows = Rows + 2;
  const int array_cols = Cols + 2;
  const long long pitch = (array_cols + 1) * static_cast<long long>(size);
  for (const long long distance : {array_rows * pitch, -array_rows * pitch - 2 * size}) {
    for (int copies = 0; copies <= Copies; ++copies) {
      for (int row = -Rows; row <= array_rows; ++row) {
        for (int col = -Cols; col <= array_cols; ++col) {
          const Box box{pitch, array_rows, array_cols, row, col, fill};
          const dma::Repeat<Box, Copies> pattern{box, distance, copies};
          Expectation expected;
          for (int copy = 0; copy < copies; ++copy) {
            expect_part(expected, box, copy * distance, copy * copy_bytes);
          }
          REQUIRE(pattern.is_valid());
          bench.check(pattern, 1, expected);
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("a concatenation moves each of its parts to its own place in the slot", "[laws]") {
  Benches benches(512 * 1024);
  check_rows_and_box<std::uint8_t, 16, 5, 7, 128>(benches.one, 9);
  check_rows_and_box<std::uint16_t, 40, 4, 5, 384>(benches.three, 60000);
  check_rows_and_box<float, 8, 9, 6, 384>(benches.eight, -1.5F);
  check_rows_and_box<double, 5, 6, 3, 256>(benches.one, 2.5);
  check_rows_and_box<Rgb, 7, 4, 5, 384>(benches.three, Rgb{1, 2, 3});
  check_rows_and_box<Vector3, 9, 8, 4, 1152>(benches.eight, Vector3{1, 2, 3});
  check_rows_and_box<Quad, 4, 6, 3, 384>(benches.one, Quad{1, 2, 3, 4});
  check_rows_and_box<Block<48>, 3, 3, 3, 768>(benches.three, Block<48>{{9}});
  check_rows_and_box<Block<100>, 2, 3, 2, 3200>(benches.eight, Block<100>{{9}});
  check_rows_and_box<Block<1000>, 2, 2, 2, 16000>(benches.one, Block<1000>{{9}});
  REQUIRE(benches.cases() >= at_least::concat);
}

TEST_CASE("a concatenation may have any number of parts, of any kind", "[laws]") {
  Benches benches(64 * 1024);
  using Head = dma::Sequential<float, 7, 16>;                                                      // 28 bytes, at 0
  using Copies = dma::Repeat<dma::Sequential<float, 4>, 3>;                                        // 48 bytes, at 128
  using Swizzled = dma::Strided<float, 32, 4, dma::RowLayout{.swizzle = dma::Swizzle::bytes_64}>;  // at 512
  using Gather = dma::Indirect<float, 4, 2>;                                                       // 32 bytes, at 1,024
  using All = dma::Concat<Head, Copies, Swizzled, Gather>;
  STATIC_REQUIRE(All::tile_bytes == 1024 + 32);
  STATIC_REQUIRE(All::traits.tile_alignment == 512);
  STATIC_REQUIRE(All::run_alignment == 4);
  STATIC_REQUIRE(dma::detail::source_alignment_of<All>() == 16);
  STATIC_REQUIRE(All::index_of<1>(2, 3) == (128 + 2 * 16 + 3 * 4) / 4);
  STATIC_REQUIRE(All::index_of<2>(2, 8) == (512 + 2 * 128 + (32 ^ 32)) / 4);
  const int rows[] = {1, 0};
  for (int n = 0; n <= 7; ++n) {
    const Copies copies{{4}, 64, n % 4};
    const Swizzled swizzled{256, n % 5, 32};
    const Gather gather{rows, 2, 16, n % 3};
    Expectation expected;
    expected.element(0, 0, 4 * n);
    // All from one address: what is loaded twice is stored twice, so the bench only has parts that agree.
    const dma::Concat all{Head{n}, Copies{{4}, 64, 0}, Swizzled{256, 0, 32}, Gather{rows, 2, 16, 0}};
    benches.one.check(all, 1, expected);
    REQUIRE(dma::host::broken_law(all) == "");
    REQUIRE(dma::host::broken_law(All{Head{n}, copies, swizzled, gather}) == "");
    REQUIRE(All{Head{n}, copies, swizzled, gather}.size() == n + 4 * (n % 4) + 32 * (n % 5) + 4 * (n % 3));
  }
}

TEST_CASE("each law of a full tile is checked for the parts and between them", "[laws]") {
  STATIC_REQUIRE(keeps_tile_laws<Pair<4, 64, 256, 512>>);
  STATIC_REQUIRE_FALSE(
      dma::detail::keeps_runs_apart<Pair<4, 64, 192, 512>>());  // the last row of one is the other's first
  STATIC_REQUIRE_FALSE(dma::detail::keeps_runs_apart<Pair<4, 64, 0, 512>>());
  STATIC_REQUIRE(keeps_tile_laws<Pair<4, 128, 64, 512>>);  // row by row in turn, as a halo's columns
  STATIC_REQUIRE_FALSE(dma::detail::keeps_runs_apart<Pair<4, 128, 48, 512>>());
  STATIC_REQUIRE_FALSE(
      dma::detail::keeps_runs_apart<Pair<40, 64, 39 * 64, 80 * 64>>());  // too many runs to compare all
  STATIC_REQUIRE_FALSE(dma::detail::stays_inside_tile<Pair<4, 64, 256, 496>>());
  STATIC_REQUIRE_FALSE(dma::detail::stays_inside_tile<Pair<4, 64, -64, 512>>());
  STATIC_REQUIRE_FALSE(dma::detail::keeps_alignment<Pair<4, 64, 260, 528>>());
  STATIC_REQUIRE(keeps_tile_laws<Pair<4, 64, 260, 516, 4>>);
  STATIC_REQUIRE_FALSE(dma::detail::keeps_alignment<Pair<4, 64, 256, 512, 48>>());
}

TEST_CASE("a slot may hold several swizzled tiles of 32 KB", "[laws]") {
  using Tile = dma::Tile2D<std::uint16_t, 64, 256, dma::RowLayout{.swizzle = dma::Swizzle::bytes_128}>;
  STATIC_REQUIRE(keeps_tile_laws<dma::Concat<Tile, Tile, Tile, Tile>>);
}

TEST_CASE("a repetition moves its copies from a constant distance to a constant distance", "[laws]") {
  Benches benches(256 * 1024);
  check_repeated_sequence<std::uint8_t, 33, 9, 1>(benches.one);
  check_repeated_sequence<std::uint8_t, 32, 20, 16>(benches.three);
  check_repeated_sequence<float, 12, 16, 4>(benches.eight);
  check_repeated_sequence<float, 12, 16, 16>(benches.one);
  check_repeated_sequence<Rgb, 20, 5, 4>(benches.three);
  check_repeated_sequence<Block<48>, 5, 8, 16>(benches.eight);
  check_repeated_sequence<Block<1000>, 3, 4, 8>(benches.one);
  check_repeated_sequence<Block<4096>, 2, 4, 16>(benches.three);
  check_repeated_box<float, 5, 4, 4, 20>(benches.one, 4.0F);
  check_repeated_box<std::uint8_t, 9, 3, 3, 10>(benches.three, 4);
  check_repeated_box<Vector3, 3, 3, 3, 48>(benches.eight, Vector3{1, 2, 3});
  REQUIRE(benches.cases() >= at_least::repeat);
}

TEST_CASE("copies of a swizzled tile begin where its swizzle repeats", "[laws]") {
  using Tile = dma::Strided<float, 32, 4, dma::RowLayout{.swizzle = dma::Swizzle::bytes_128}>;
  using Pattern = dma::Repeat<Tile, 3>;
  STATIC_REQUIRE(Pattern::copy_bytes == 1024);
  STATIC_REQUIRE(Pattern::tile_bytes == 2 * 1024 + 512);
  STATIC_REQUIRE(Pattern::index(2, 1, 4) == 2 * 256 + 32 + 0);
  Benches benches(64 * 1024);
  for (int copies = 0; copies <= 3; ++copies) {
    for (int rows = 0; rows <= 4; ++rows) {
      const Tile tile{256, rows, 32};
      Expectation expected;
      for (int copy = 0; copy < copies; ++copy) {
        expect_part(expected, tile, copy * 2048LL, copy * 1024);
      }
      benches.three.check(Pattern{tile, 2048, copies}, 1, expected);
    }
  }
}

TEST_CASE("what a repetition repeats keeps its nature", "[laws]") {
  using Box = dma::Tile2D<float, 8, 4>;
  STATIC_REQUIRE(dma::UniformPattern<dma::Repeat<Box, 3>>);
  STATIC_REQUIRE(dma::PaddedPattern<dma::Repeat<Box, 3>>);
  STATIC_REQUIRE_FALSE(dma::AffinePattern<dma::Repeat<Box, 3>>);
  STATIC_REQUIRE_FALSE(dma::PaddedPattern<dma::Repeat<dma::Strided<float, 8, 4>, 3>>);
  using Nested = dma::Repeat<dma::Repeat<dma::Sequential<float, 4>, 3>, 2>;
  STATIC_REQUIRE(Nested::index(1, 2, 3) == 23);
  REQUIRE(dma::host::broken_law(Nested{{{4}, 32, 3}, 100 * 16, 2}) == "");
  REQUIRE(dma::host::broken_law(dma::Repeat<Box, 3>{{64, 9, 9, 6, 7, 1.0F}, 1000, 3}) == "");
}
