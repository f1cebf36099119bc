// Selections on the emulator, and the proofs of their look-back: every execution of a few CTAs.

#include "scan/select.hpp"
#include "scan/checked_parts.hpp"
#include "scan/kernels.hpp"

#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

using dma::proof::FailsBy;
using dma::proof::FindingKind;
using dma::proof::IsProved;
using scan::TilePlan;
using scan_tests::CheckedParts;
using scan_tests::Part;

namespace {

/// A value, and where it was: what is kept tells that it is in order.
struct Place {
  int key;
  int at;

  friend bool operator==(const Place&, const Place&) = default;
};

template <class T>
struct Value {
  static T at(int key, int /*i*/) { return static_cast<T>(key); }
  static int key(const T& value) { return static_cast<int>(value); }
};
template <>
struct Value<Place> {
  static Place at(int key, int i) { return {key, i}; }
  static int key(const Place& value) { return value.key; }
};

/// Keys are 0 to 99.
struct KeyBelow {
  int bound;

  template <class T>
  DMA_HOST_DEVICE bool operator()(const T& value) const {
    return Value<T>::key(value) < bound;
  }
};

/// Elements of which so many of a hundred are kept, and room for all behind the ones that are skipped.
template <class T>
struct Problem {
  using Job = scan::SelectJob<T, KeyBelow>;

  Problem(int count, int percent, int tiles, int skipped = 0)
      : x(static_cast<std::size_t>(skipped + count)),
        y(x.size() + 4, Value<T>::at(101, -1)),
        words(1 + static_cast<std::size_t>(tiles)),
        job{x.data() + skipped, y.data() + skipped,
            kept.data(),        count,
            {percent},          {words.data(), words.data() + 1, tiles}} {
    for (int i = 0; i < static_cast<int>(x.size()); ++i) {
      x[static_cast<std::size_t>(i)] = Value<T>::at(static_cast<int>(static_cast<unsigned>(i) * 2654435761U % 100), i);
    }
  }

  /// What a loop keeps; `ends` has the number before each tile.
  [[nodiscard]] std::vector<T> expected(long long tile, std::vector<long long>& ends) const {
    std::vector<T> selected;
    for (long long i = 0; i < job.elements; ++i) {
      if (i % tile == 0) {
        ends.push_back(static_cast<long long>(selected.size()));
      }
      if (Value<T>::key(job.x[i]) < job.keeps.bound) {
        selected.push_back(job.x[i]);
      }
    }
    ends.push_back(static_cast<long long>(selected.size()));
    return selected;
  }
  /// Elements that are not those of a loop, others that have been written, and a wrong number.
  [[nodiscard]] int wrong() {
    std::vector<long long> ends;
    std::vector<T> right = expected(1, ends);
    const int wrong_count = kept[0] == static_cast<long long>(right.size()) ? 0 : 1;
    right.resize(y.size() - static_cast<std::size_t>(job.y - y.data()), Value<T>::at(101, -1));
    int wrong = wrong_count;
    for (std::size_t i = 0; i < right.size(); ++i) {
      wrong += job.y[i] == right[i] ? 0 : 1;
    }
    std::fill(y.begin(), y.end(), Value<T>::at(101, -1));
    kept[0] = -1;
    return wrong;
  }
  /// Proves that a kernel selects them.
  template <class Kernel>
  [[nodiscard]] dma::proof::Verdict prove(const Kernel& /*kernel*/, int ctas, dma::proof::Options options = {}) {
    std::vector<long long> ends;
    const std::vector<T> right = expected(Kernel::Tile::elements, ends);
    const std::vector<long long> count = {static_cast<long long>(right.size())};
    // The last tile writes the count.
    std::vector<long long> of_count(ends.size(), 0);
    of_count.back() = 1;
    options.inputs = {dma::proof::input(x), dma::proof::input(right), dma::proof::input(ends), dma::proof::input(count),
                      dma::proof::input(of_count)};
    options.outputs = {dma::proof::output(y), dma::proof::output(kept), dma::proof::output(words)};
    return dma::proof::prove(options, CheckedParts<Kernel>{}, {ctas}, job, Part<T>{job.y, right.data(), ends.data()},
                             Part<long long>{job.kept, count.data(), of_count.data()});
  }

  std::vector<T> x;
  std::vector<T> y;
  std::vector<long long> kept = {-1};
  std::vector<unsigned long long> words;
  Job job;
};

template <class Kernel>
[[nodiscard]] int tiles_of(int count) {
  return std::max((count + Kernel::Tile::elements - 1) / Kernel::Tile::elements, 1);
}

/// Two launches after one another of each kernel, the second with the words that the first has left.
template <class T, TilePlan plan>
void selects(int count, int percent, int skipped = 0) {
  using Tiles = scan::TilePerCta<scan::TileSelect<T, KeyBelow, plan>>;
  using Stream = scan::TileStream<scan::TileSelect<T, KeyBelow, plan>, 2>;
  const int tiles = tiles_of<Tiles>(count);
  Problem<T> problem(count, percent, tiles, skipped);
  INFO(count << " elements, of which " << percent << "% are kept");
  for (int launch = 0; launch < 2; ++launch) {
    dma::host::launch(Tiles{}, {tiles}, problem.job);
    CHECK(problem.wrong() == 0);
    problem.job.keeps.bound = 100 - percent;
  }
  if (count > 0) {
    dma::host::launch(Stream{}, {1}, problem.job);
    CHECK(problem.wrong() == 0);
  }
}

}  // namespace

TEST_CASE("a selection is that of a loop, whatever its length and however many it keeps", "[select]") {
  constexpr TilePlan plan{.warps = 2, .vectors = 2};
  for (const int count : {0, 1, 2, 31, 32, 33, 511, 512, 513, 1023, 1024, 1025, 2600}) {
    for (const int percent : {0, 3, 50, 100}) {
      selects<int, plan>(count, percent);
    }
  }
}

TEST_CASE("elements to select from may begin anywhere", "[select]") {
  constexpr TilePlan plan{.warps = 1, .vectors = 2, .is_aligned = false};
  for (const int skipped : {0, 1, 3}) {
    selects<int, plan>(700, 40, skipped);
    selects<unsigned char, plan>(1500, 60, skipped);
  }
}

TEST_CASE("elements of 1, 8 and 16 bytes are selected in their order", "[select]") {
  selects<unsigned char, TilePlan{.warps = 2, .vectors = 2}>(5000, 30);
  selects<Place, TilePlan{.warps = 2, .vectors = 3, .looks = 2}>(1000, 70);
  selects<long double, TilePlan{.warps = 1, .vectors = 4}>(300, 20);
}

TEST_CASE("look-back of a selection, a CTA a tile, is proved", "[select]") {
  using Kernel = scan::TilePerCta<scan::TileSelect<int, KeyBelow, TilePlan{2, 1}>>;
  for (const int tiles : {1, 2, 3}) {
    for (const int percent : {0, 50, 100}) {
      const auto verdict = Problem<int>(tiles * Kernel::Tile::elements - 5, percent, tiles).prove(Kernel{}, tiles);
      CAPTURE(tiles, percent);
      REQUIRE_THAT(verdict, IsProved());
    }
  }
  REQUIRE_THAT(Problem<int>(0, 50, 1).prove(Kernel{}, 1), IsProved());
}

TEST_CASE("look-back of a selection relies on CTAs that begin in the order of their index", "[select]") {
  if (!dma::proof::sees_every_access) {
    SKIP("executions are explored where a proof sees every access");
  }
  using Kernel = scan::TilePerCta<scan::TileSelect<int, KeyBelow, TilePlan{1, 1}>>;
  Problem<int> problem(3 * Kernel::Tile::elements, 50, 3);
  REQUIRE_THAT(problem.prove(Kernel{}, 3, {.resident = 1}), IsProved());
  REQUIRE_THAT(problem.prove(Kernel{}, 3, {.resident = 1, .any_cta_order = true}), FailsBy(FindingKind::deadlock));
}

TEST_CASE("look-back of a selection from a stream of tiles is proved", "[select]") {
  using Kernel = scan::TileStream<scan::TileSelect<int, KeyBelow, TilePlan{2, 1}>, 2>;
  const auto of_one_cta = dma::proof::for_all_trips<Kernel::Pipe>(
      [](int tiles) { return Problem<int>(tiles * Kernel::Tile::elements, 50, tiles).prove(Kernel{}, 1); });
  REQUIRE_THAT(of_one_cta, IsProved());
  for (const int tiles : {2, 5}) {
    const auto verdict = Problem<int>(tiles * Kernel::Tile::elements - 3, 60, tiles).prove(Kernel{}, 2);
    CAPTURE(tiles);
    REQUIRE_THAT(verdict, IsProved());
  }
}
