#include <dma/patterns/sequential.hpp>
#include <dma/patterns/strided.hpp>
#include <dma/patterns/transpose.hpp>

#include "host/patterns/moved_bytes.hpp"

#include <type_traits>
#include <vector>

using namespace moved_bytes;

namespace {

/// A user's pattern whose runs have lengths of their own: the lower triangle of a matrix, packed.
template <int Rows>
struct Triangle {
  using Element = float;
  static constexpr int tile_bytes = Rows * (Rows + 1) / 2 * 4;
  static constexpr int max_run_count = Rows;
  static constexpr int max_run_bytes = Rows * 4;
  static constexpr int run_alignment = 4;

  int rows = Rows;
  [[nodiscard]] constexpr bool is_full() const { return rows == Rows; }
  [[nodiscard]] constexpr int size() const { return rows * (rows + 1) / 2; }
  [[nodiscard]] constexpr int run_count() const { return rows; }
  [[nodiscard]] constexpr dma::Run run_at(int row) const {
    return {row * 4LL * Rows, row * (row + 1) / 2 * 4, (row + 1) * 4};
  }
};

/// A user's pattern that is uniform but has no pitch: every other row first, then those between. Aligned more widely
/// than an access can be.
struct PermutedRows {
  using Element = float;
  static constexpr int tile_bytes = 10 * 64;
  static constexpr int max_run_count = 10;
  static constexpr int max_run_bytes = 64;
  static constexpr int run_alignment = 32;
  static constexpr dma::PatternTraits traits{.runs_are_uniform = true};

  int rows = 10;
  [[nodiscard]] constexpr bool is_full() const { return rows == 10; }
  [[nodiscard]] constexpr int size() const { return rows * 16; }
  [[nodiscard]] constexpr int run_count() const { return rows; }
  [[nodiscard]] constexpr dma::Run run_at(int row) const {
    return {row * 64, (row < 5 ? 2 * row : 2 * row - 9) * 64, 64};
  }
};

template <class Pattern>
void check_runs(const Pattern& pattern) {
  std::vector<int> covered(static_cast<std::size_t>(Pattern::tile_bytes), 0);
  REQUIRE(pattern.run_count() <= Pattern::max_run_count);
  int bytes = 0;
  for (int i = 0; i < pattern.run_count(); ++i) {
    const dma::Run run = pattern.run_at(i);
    REQUIRE(run.bytes <= Pattern::max_run_bytes);
    REQUIRE(run.shared % Pattern::run_alignment == 0);
    for (int byte = 0; byte < run.bytes; ++byte) {
      REQUIRE(++covered.at(static_cast<std::size_t>(run.shared + byte)) == 1);
    }
    bytes += run.bytes;
  }
  REQUIRE(bytes == pattern.size() * static_cast<int>(sizeof(typename Pattern::Element)));
}

}  // namespace

TEST_CASE("a user's pattern moves run by run, whatever its runs are", "[laws]") {
  Benches benches(64 * 1024);
  for (int rows = 0; rows <= 40; ++rows) {
    Expectation expected;
    for (int row = 0, shared = 0; row < rows; ++row) {
      for (int col = 0; col <= row; ++col, shared += 4) {
        expected.element((row * 40 + col) * 4, shared, 4);
      }
    }
    benches.one.check(Triangle<40>{rows}, 1, expected);
  }
  constexpr int order[] = {0, 2, 4, 6, 8, 1, 3, 5, 7, 9};
  for (int rows = 0; rows <= 10; ++rows) {
    Expectation expected;
    for (int row = 0; row < rows; ++row) {
      expected.element(row * 64, order[row] * 64, 64);
    }
    benches.three.check(PermutedRows{rows}, 0, expected);
  }
  REQUIRE(benches.cases() == 8 * 41 + 10 * 11);  // cp.async take both patterns, bulk copies the second
}

TEST_CASE("runs are disjoint, inside the tile, aligned, and add up to the tile's elements", "[laws]") {
  for (int n = 0; n <= 77; ++n) {
    check_runs(dma::Sequential<Rgb, 77>{n});
  }
  for (int rows = 0; rows <= 6; ++rows) {
    for (int cols = 0; cols <= 12; ++cols) {
      check_runs(dma::Strided<float, 12, 6>{-64, rows, cols});
      check_runs(dma::Strided<float, 12, 6, dma::RowLayout{.pitch_bytes = 52}>{48, rows, cols});
      check_runs(dma::Transpose<float, 12, 6>{48, rows, cols});
    }
  }
  for (int rows = 0; rows <= 40; ++rows) {
    check_runs(Triangle<40>{rows});
  }
}

TEST_CASE("an element has the index at which its bytes arrive", "[laws]") {
  dma::host::detail::SingleGroupEmulator warps;
  constexpr int rows = 6, cols = 12;
  alignas(16) float matrix[rows * cols];
  for (int i = 0; i < rows * cols; ++i) {
    matrix[i] = static_cast<float>(i);
  }
  int waits = 0;
  const auto arrive = [&](const auto& pattern, float* tile) {
    warps.run(32, [&](int thread) {
      dma::RegisterCopy<>::load<std::decay_t<decltype(pattern)>, 32>(
          pattern, reinterpret_cast<const unsigned char*>(matrix), thread,
          OpenSlot{reinterpret_cast<unsigned char*>(tile), &waits});
    });
  };
  using Padded = dma::Strided<float, cols, rows, dma::RowLayout{.pitch_bytes = 64}>;
  using Turned = dma::Transpose<float, cols, rows>;
  alignas(16) float padded[Padded::tile_bytes / 4];
  alignas(16) float turned[Turned::tile_bytes / 4];
  arrive(Padded{cols * 4}, padded);
  arrive(Turned{cols * 4}, turned);
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) {
      REQUIRE(padded[Padded::index(row, col)] == matrix[row * cols + col]);
      REQUIRE(turned[Turned::index(col, row)] == matrix[row * cols + col]);
    }
  }
}

TEST_CASE("patterns take the widest access that their shape allows", "[laws]") {
  STATIC_REQUIRE(dma::Sequential<float, 1024>::run_alignment == 16);
  STATIC_REQUIRE(dma::Sequential<float, 1023>::run_alignment == 4);
  STATIC_REQUIRE(dma::Sequential<Rgb, 10>::run_alignment == 2);
  STATIC_REQUIRE(dma::Strided<float, 32, 8>::run_alignment == 16);
  STATIC_REQUIRE(dma::Strided<float, 32, 8, dma::RowLayout{.pitch_bytes = 132}>::run_alignment == 4);
  STATIC_REQUIRE(dma::Strided<double, 3, 8>::run_alignment == 8);
}
