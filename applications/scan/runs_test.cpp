// Run-length encoding on the emulator, and the proofs of its look-back: every execution of a few CTAs.

#include "scan/runs.hpp"
#include "scan/checked_parts.hpp"
#include "scan/kernels.hpp"

#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

using dma::proof::IsProved;
using scan::TilePlan;
using scan_tests::CheckedParts;
using scan_tests::Part;

namespace {

/// Values in runs of given lengths, by turns, up to so many elements. Neighbouring runs differ, others may not.
template <class T>
struct Problem {
  Problem(int count, const std::vector<int>& turns, int tiles, int skipped = 0)
      : x(static_cast<std::size_t>(skipped), T{77}),
        written(static_cast<std::size_t>(count) + 4, T{99}),
        lengths(written.size(), -7),
        words(1 + 2 * static_cast<std::size_t>(tiles)) {
    for (int left = count; left > 0; left -= of_runs.back()) {
      const std::size_t run = of_runs.size();
      of_runs.push_back(std::min(left, turns[run % turns.size()]));
      values.push_back(static_cast<T>(run % 3 + run / 100 % 2));
      if (run > 0 && values[run] == values[run - 1]) {
        values[run] = T{9};
      }
      x.insert(x.end(), static_cast<std::size_t>(of_runs.back()), values.back());
    }
    job = {x.data() + skipped, written.data(), lengths.data(),
           runs.data(),        count,          {words.data(), words.data() + 1, tiles}};
  }

  /// Runs that are not the given ones, others that have been written, and a wrong number.
  [[nodiscard]] int wrong() {
    int wrong = runs[0] == static_cast<long long>(values.size()) ? 0 : 1;
    for (std::size_t i = 0; i < written.size(); ++i) {
      wrong += written[i] == (i < values.size() ? values[i] : T{99}) ? 0 : 1;
      wrong += lengths[i] == (i < of_runs.size() ? of_runs[i] : -7) ? 0 : 1;
    }
    std::fill(written.begin(), written.end(), T{99});
    std::fill(lengths.begin(), lengths.end(), -7);
    runs[0] = -1;
    return wrong;
  }
  /// Proves that a kernel finds the runs: a tile writes those that begin in it, and the lengths of those before.
  template <class Kernel>
  [[nodiscard]] dma::proof::Verdict prove(const Kernel& /*kernel*/, int ctas) {
    std::vector<long long> begun;
    long long next = 0;
    long long run = 0;
    for (long long i = 0; i < job.elements; i += Kernel::Tile::elements) {
      for (; next < i; ++run) {
        next += of_runs[static_cast<std::size_t>(run)];
      }
      begun.push_back(run);
    }
    begun.push_back(static_cast<long long>(values.size()));
    std::vector<long long> ended;
    for (const long long before : begun) {
      ended.push_back(std::max(before - 1, 0LL));
    }
    ended.back() = begun.back();
    const std::vector<long long> count = {begun.back()};
    std::vector<long long> of_count(begun.size(), 0);
    of_count.back() = 1;
    return dma::proof::prove({.inputs = {dma::proof::input(x), dma::proof::input(values), dma::proof::input(of_runs),
                                         dma::proof::input(begun), dma::proof::input(ended), dma::proof::input(count),
                                         dma::proof::input(of_count)},
                              .outputs = {dma::proof::output(written), dma::proof::output(lengths),
                                          dma::proof::output(runs), dma::proof::output(words)}},
                             CheckedParts<Kernel>{}, {ctas}, job, Part<T>{job.values, values.data(), begun.data()},
                             Part<int>{job.lengths, of_runs.data(), ended.data()},
                             Part<long long>{job.runs, count.data(), of_count.data()});
  }

  std::vector<T> x;
  std::vector<T> values;     ///< of the runs
  std::vector<int> of_runs;  ///< their lengths
  std::vector<T> written;
  std::vector<int> lengths;
  std::vector<long long> runs = {-1};
  std::vector<unsigned long long> words;
  scan::RunsJob<T> job{};
};

template <class Kernel>
[[nodiscard]] int tiles_of(int count) {
  return std::max((count + Kernel::Tile::elements - 1) / Kernel::Tile::elements, 1);
}

const std::vector<std::vector<int>> ways = {{1}, {1'000'000}, {1, 2}, {33, 1, 1, 500, 7}, {32}, {256}, {257, 31, 700}};

/// Two launches after one another of each kernel, the second with the words that the first has left.
template <class T, TilePlan plan>
void encodes(int count, int skipped = 0) {
  using Tiles = scan::TilePerCta<scan::TileRuns<T, plan>>;
  using Stream = scan::TileStream<scan::TileRuns<T, plan>, 2>;
  const int tiles = tiles_of<Tiles>(count);
  for (std::size_t way = 0; way < ways.size(); ++way) {
    Problem<T> problem(count, ways[way], tiles, skipped);
    INFO(count << " elements, lengths " << way);
    for (int launch = 0; launch < 2; ++launch) {
      dma::host::launch(Tiles{}, {tiles}, problem.job);
      CHECK(problem.wrong() == 0);
    }
    if (count > 0) {
      dma::host::launch(Stream{}, {1}, problem.job);
      CHECK(problem.wrong() == 0);
    }
  }
}

}  // namespace

TEST_CASE("runs are those that the elements were made of, whatever their number and length", "[runs]") {
  for (const int count : {0, 1, 2, 31, 32, 33, 511, 512, 513, 1023, 1024, 1025, 2600}) {
    encodes<int, TilePlan{.warps = 2, .vectors = 2}>(count);
  }
}

TEST_CASE("elements of runs may begin anywhere, and have 1, 4 and 8 bytes", "[runs]") {
  constexpr TilePlan plan{.warps = 1, .vectors = 2, .is_aligned = false};
  for (const int skipped : {0, 1, 3}) {
    encodes<int, plan>(700, skipped);
    encodes<unsigned char, plan>(1500, skipped);
  }
  encodes<double, TilePlan{.warps = 2, .vectors = 3, .looks = 2}>(1000);
  // More rows than are written together.
  encodes<int, TilePlan{.warps = 2, .vectors = 5}>(1700);
  encodes<double, TilePlan{.warps = 1, .vectors = 5}>(900);
}

TEST_CASE("look-back of runs, a CTA a tile, is proved", "[runs]") {
  using Kernel = scan::TilePerCta<scan::TileRuns<int, TilePlan{2, 1}>>;
  for (const auto& turns : ways) {
    const auto verdict = Problem<int>(2 * Kernel::Tile::elements - 5, turns, 2).prove(Kernel{}, 2);
    CAPTURE(turns);
    REQUIRE_THAT(verdict, IsProved());
  }
  REQUIRE_THAT(Problem<int>(0, {1}, 1).prove(Kernel{}, 1), IsProved());
}

TEST_CASE("rows whose runs are written after others' are proved", "[runs]") {
  using Kernel = scan::TilePerCta<scan::TileRuns<int, TilePlan{1, 5}>>;
  REQUIRE_THAT(Problem<int>(Kernel::Tile::elements - 3, {2}, 1).prove(Kernel{}, 1), IsProved());
  REQUIRE_THAT(Problem<int>(Kernel::Tile::elements, {1}, 1).prove(Kernel{}, 1), IsProved());
}

TEST_CASE("look-back of runs from a stream of tiles is proved", "[runs]") {
  using Kernel = scan::TileStream<scan::TileRuns<int, TilePlan{1, 1}>, 2>;
  const auto of_one_cta = dma::proof::for_all_trips<Kernel::Pipe>([](int tiles) {
    return Problem<int>(tiles * Kernel::Tile::elements, {50, 1}, tiles).prove(Kernel{}, 1);
  });
  REQUIRE_THAT(of_one_cta, IsProved());
  for (const int tiles : {2, 3}) {
    const auto verdict = Problem<int>(tiles * Kernel::Tile::elements - 3, {3, 1, 150}, tiles).prove(Kernel{}, 2);
    CAPTURE(tiles);
    REQUIRE_THAT(verdict, IsProved());
  }
}
