// The scans on the emulator, and the proofs of their look-back: every execution of a few CTAs.

#include "scan/checked_parts.hpp"
#include "scan/kernels.hpp"
#include "scan/operations.hpp"
#include "scan/tile.hpp"

#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

using dma::proof::FailsBy;
using dma::proof::FindingKind;
using dma::proof::IsProved;
using scan::Kind;
using scan::TilePlan;
using scan_tests::CheckedParts;
using scan_tests::Part;

namespace {

template <class Operation, Kind kind, TilePlan plan>
using ScanTiles = scan::TilePerCta<scan::TileScan<Operation, kind, plan>>;
template <class Operation, Kind kind, TilePlan plan, int Stages>
using ScanStream = scan::TileStream<scan::TileScan<Operation, kind, plan>, Stages>;

template <class T>
struct Value {
  static T at(unsigned i) { return static_cast<T>(static_cast<int>(i * 7 % 11) - 3); }
};
template <class T>
struct Value<scan::Step<T>> {
  static scan::Step<T> at(unsigned i) { return {static_cast<T>(1 + i % 3), static_cast<T>(i)}; }
};
template <class T>
struct Value<scan::InSegment<T>> {
  static scan::InSegment<T> at(unsigned i) { return {Value<T>::at(i), i % 37 == 5 ? 1 : 0}; }
};

template <class Kernel>
[[nodiscard]] int tiles_of(int count) {
  return (count + Kernel::Tile::elements - 1) / Kernel::Tile::elements;
}
/// Where the tiles of an array end.
template <class Kernel>
[[nodiscard]] std::vector<long long> ends_of(int count) {
  std::vector<long long> ends;
  for (int tile = 0; tile <= tiles_of<Kernel>(count); ++tile) {
    ends.push_back(std::min(tile * Kernel::Tile::elements, count));
  }
  return ends;
}

/// An array, where its scan goes, and the sums of up to so many tiles.
template <class Operation, Kind kind>
struct Problem {
  using T = typename Operation::Value;

  Problem(int count, int tiles, int skipped = 0)
      : x(static_cast<std::size_t>(skipped + count)),
        y(x.size() + 4, Value<T>::at(99)),
        words(1 + static_cast<std::size_t>(tiles) * (sizeof(T) / 4)),
        job{x.data() + skipped, y.data() + skipped, count, Value<T>::at(2), {words.data(), words.data() + 1, tiles}} {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = Value<T>::at(static_cast<unsigned>(i));
    }
  }

  /// What a loop makes of the array.
  [[nodiscard]] std::vector<T> expected() const {
    std::vector<T> scanned;
    T before = job.first;
    for (long long i = 0; i < job.elements; ++i) {
      const T with = Operation::combined(before, job.x[i]);
      scanned.push_back(kind == Kind::inclusive ? with : before);
      before = with;
    }
    return scanned;
  }
  /// Elements that are not those of a loop, and others that have been written.
  [[nodiscard]] int wrong() const {
    const std::vector<T> scanned = expected();
    int wrong = 0;
    for (std::size_t i = 0; i < scanned.size(); ++i) {
      wrong += job.y[i] == scanned[i] ? 0 : 1;
    }
    for (std::size_t i = x.size(); i < y.size(); ++i) {
      wrong += y[i] == Value<T>::at(99) ? 0 : 1;
    }
    return wrong;
  }
  /// Proves that a kernel scans it.
  template <class Kernel>
  [[nodiscard]] dma::proof::Verdict prove(const Kernel& /*kernel*/, int ctas, dma::proof::Options options = {}) {
    const std::vector<T> scanned = expected();
    const std::vector<long long> ends = ends_of<Kernel>(static_cast<int>(job.elements));
    options.inputs = {dma::proof::input(x), dma::proof::input(scanned), dma::proof::input(ends)};
    options.outputs = {dma::proof::output(y), dma::proof::output(words)};
    return dma::proof::prove(options, CheckedParts<Kernel>{}, {ctas}, job, Part<T>{job.y, scanned.data(), ends.data()});
  }

  std::vector<T> x;
  std::vector<T> y;
  std::vector<unsigned long long> words;
  scan::Job<T> job;
};

/// Two launches after one another, the second with the words that the first has left.
template <class Operation, Kind kind, TilePlan plan>
void scans_by_a_cta_a_tile(int count, int skipped = 0) {
  using Kernel = ScanTiles<Operation, kind, plan>;
  Problem<Operation, kind> problem(count, tiles_of<Kernel>(count), skipped);
  for (int launch = 0; launch < 2; ++launch) {
    dma::host::launch(Kernel{}, {tiles_of<Kernel>(count)}, problem.job);
    INFO(count << " elements, launch " << launch);
    CHECK(problem.wrong() == 0);
    problem.job.first = Value<typename Operation::Value>::at(3);
  }
}
template <class Operation, Kind kind, TilePlan plan>
void scans_by_a_stream(int count, int skipped = 0) {
  using Kernel = ScanStream<Operation, kind, plan, 2>;
  Problem<Operation, kind> problem(count, tiles_of<Kernel>(count), skipped);
  dma::host::launch(Kernel{}, {1}, problem.job);
  INFO(count << " elements");
  CHECK(problem.wrong() == 0);
}

}  // namespace

TEST_CASE("a scan is that of a loop, whatever its length", "[scan]") {
  constexpr TilePlan plan{.warps = 2, .vectors = 2};
  for (const int count : {1, 2, 3, 255, 256, 257, 511, 512, 513, 1300}) {
    scans_by_a_cta_a_tile<scan::Sum<int>, Kind::inclusive, plan>(count);
    scans_by_a_stream<scan::Sum<int>, Kind::exclusive, plan>(count);
  }
  scans_by_a_stream<scan::Sum<int>, Kind::inclusive, plan>(0);
}

TEST_CASE("arrays may begin anywhere", "[scan]") {
  constexpr TilePlan plan{.warps = 1, .vectors = 2, .is_aligned = false};
  for (const int skipped : {0, 1, 3}) {
    scans_by_a_cta_a_tile<scan::Sum<float>, Kind::exclusive, plan>(700, skipped);
    scans_by_a_stream<scan::Sum<float>, Kind::inclusive, plan>(700, skipped);
  }
}

TEST_CASE("operations keep their order, values of 8 and 16 bytes, and segments", "[scan]") {
  constexpr TilePlan plan{.warps = 2, .vectors = 2, .looks = 2};
  scans_by_a_cta_a_tile<scan::Compose<unsigned>, Kind::inclusive, plan>(1000);
  scans_by_a_stream<scan::Compose<unsigned long long>, Kind::exclusive, plan>(1000);
  scans_by_a_cta_a_tile<scan::Sum<double>, Kind::exclusive, plan>(1000);
  scans_by_a_cta_a_tile<scan::Segmented<scan::Sum<int>>, Kind::inclusive, plan>(1000);
  scans_by_a_stream<scan::Largest<int>, Kind::inclusive, plan>(1000);
  CHECK(scan::Largest<int>::nothing() == std::numeric_limits<int>::min());
  CHECK(scan::Largest<long long>::nothing() == std::numeric_limits<long long>::min());
}

TEST_CASE("look-back of a CTA a tile is proved", "[scan]") {
  using Kernel = ScanTiles<scan::Sum<int>, Kind::inclusive, TilePlan{2, 1}>;
  for (const int tiles : {1, 2, 3}) {
    Problem<scan::Sum<int>, Kind::inclusive> problem(tiles * Kernel::Tile::elements - 5, tiles);
    const auto verdict = problem.prove(Kernel{}, tiles);
    CAPTURE(tiles);
    REQUIRE_THAT(verdict, IsProved());
  }
}

TEST_CASE("look-back of a CTA a tile relies on CTAs that begin in the order of their index", "[scan]") {
  if (!dma::proof::sees_every_access) {
    SKIP("executions are explored where a proof sees every access");
  }
  using Kernel = ScanTiles<scan::Sum<int>, Kind::inclusive, TilePlan{1, 1}>;
  Problem<scan::Sum<int>, Kind::inclusive> problem(3 * Kernel::Tile::elements, 3);
  REQUIRE_THAT(problem.prove(Kernel{}, 3, {.resident = 1}), IsProved());
  REQUIRE_THAT(problem.prove(Kernel{}, 3, {.resident = 1, .any_cta_order = true}), FailsBy(FindingKind::deadlock));
}

TEST_CASE("look-back of a stream of tiles is proved", "[scan]") {
  using Operation = scan::Sum<int>;
  using Kernel = ScanStream<Operation, Kind::exclusive, TilePlan{2, 1}, 2>;
  const auto of_one_cta = dma::proof::for_all_trips<Kernel::Pipe>([](int tiles) {
    return Problem<Operation, Kind::exclusive>(tiles * Kernel::Tile::elements, tiles).prove(Kernel{}, 1);
  });
  REQUIRE_THAT(of_one_cta, IsProved());
  for (const int tiles : {2, 5}) {
    Problem<Operation, Kind::exclusive> problem(tiles * Kernel::Tile::elements - 3, tiles);
    const auto verdict = problem.prove(Kernel{}, 2);
    CAPTURE(tiles);
    REQUIRE_THAT(verdict, IsProved());
  }
}

TEST_CASE("warps that write single elements exchange them in order", "[scan]") {
  using Kernel = ScanTiles<scan::Sum<int>, Kind::exclusive, TilePlan{.warps = 2, .vectors = 2, .is_aligned = false}>;
  Problem<scan::Sum<int>, Kind::exclusive> problem(Kernel::Tile::elements - 1, 1, 1);
  REQUIRE_THAT(problem.prove(Kernel{}, 1), IsProved());
}

TEST_CASE("sums of two words, in their order, are proved", "[scan]") {
  using Operation = scan::Compose<unsigned>;
  using Kernel = ScanStream<Operation, Kind::inclusive, TilePlan{1, 1}, 1>;
  REQUIRE_THAT((Problem<Operation, Kind::inclusive>(3 * Kernel::Tile::elements - 1, 3).prove(Kernel{}, 2)), IsProved());
}

TEST_CASE("a launch takes no sums of the one before", "[scan]") {
  using Kernel = ScanTiles<scan::Sum<int>, Kind::inclusive, TilePlan{1, 1}>;
  constexpr int count = 2 * Kernel::Tile::elements;
  Problem<scan::Sum<int>, Kind::inclusive> problem(count, 2);
  Problem<scan::Sum<int>, Kind::inclusive> other(count, 2);
  for (int& value : other.x) {
    value += 5;
  }
  other.job.sums = problem.job.sums;
  const std::vector<int> scanned = problem.expected();
  const std::vector<int> of_other = other.expected();
  const std::vector<long long> ends = ends_of<Kernel>(count);
  const auto verdict = dma::proof::prove(
      {.inputs = {dma::proof::input(problem.x), dma::proof::input(other.x), dma::proof::input(scanned),
                  dma::proof::input(of_other), dma::proof::input(ends)},
       .outputs = {dma::proof::output(problem.y), dma::proof::output(other.y), dma::proof::output(problem.words)}},
      dma::proof::Grid(CheckedParts<Kernel>{}, {2}, problem.job, Part<int>{problem.job.y, scanned.data(), ends.data()}),
      dma::proof::Grid(CheckedParts<Kernel>{}, {2}, other.job, Part<int>{other.job.y, of_other.data(), ends.data()}));
  REQUIRE_THAT(verdict, IsProved());
}
