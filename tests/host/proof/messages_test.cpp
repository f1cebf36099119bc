#include <dma/machine/scope.hpp>
#include <dma/proof/clocks/clock_judge.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/record/program.hpp>

#include <catch2/catch_test_macros.hpp>

#include <utility>
#include <vector>

using dma::Scope;
using dma::proof::FindingKind;
using dma::proof::detail::Agent;
using dma::proof::detail::ClockJudge;
using dma::proof::detail::Operation;
using dma::proof::detail::OperationKind;
using dma::proof::detail::Program;

/// What a write of an atomic location carries to the thread that reads it: programs written by hand, of one location
/// and one cell of data.
namespace {

constexpr int relaxed = 0;
constexpr int acquire = 1;
constexpr int release = 2;
constexpr int none = -1;

Operation atomic(int order, int from, int write, Scope scope = Scope::gpu) {
  return {.kind = OperationKind::atomic, .count = order, .writes = 1, .scope = scope, .from = from, .write = write};
}
Operation load(int order, int from, Scope scope = Scope::gpu) {
  return {.kind = OperationKind::atomic, .count = order, .reads = 1, .scope = scope, .from = from};
}
Operation store(int order, int write, Scope scope = Scope::gpu) { return atomic(order, none, write, scope); }
Operation change(int order, int from, Scope scope = Scope::gpu) { return atomic(order, from, from + 1, scope); }
Operation fence(int order, Scope scope = Scope::gpu) {
  return {.kind = OperationKind::fence_threads, .count = order, .scope = scope};
}
const Operation writes_data{.kind = OperationKind::access, .writes = 2};
const Operation reads_data{.kind = OperationKind::access, .reads = 2};
// An ordinary access of the atomic location.
const Operation resets{.kind = OperationKind::access, .writes = 1};
const Operation looks{.kind = OperationKind::access, .reads = 1};
const Operation meets{.kind = OperationKind::sync, .count = 2};
const Operation meets_relaxed{.kind = OperationKind::sync, .count = 2, .is_relaxed = true};

using Threads = std::vector<std::vector<Operation>>;

/// @param ctas  of a cluster, each with as many of the threads
FindingKind judged(const Threads& threads, int ctas = 1) {
  Program program;
  program.ctas = program.cluster = ctas;
  program.cells = 2;
  program.named_barriers = 1;
  program.atomics = 1;
  program.cell_sets = {{}, {0}, {1}};
  for (std::size_t i = 0; i < threads.size(); ++i) {
    program.agents.push_back({"thread " + std::to_string(i), threads[i],
                              static_cast<int>(i * static_cast<std::size_t>(ctas) / threads.size())});
  }
  return ClockJudge(program).judge().kind;
}
bool is_ordered(const Threads& threads, int ctas = 1) {
  const FindingKind kind = judged(threads, ctas);
  REQUIRE((kind == FindingKind::none || kind == FindingKind::race));
  return kind == FindingKind::none;
}

}  // namespace

TEST_CASE("an acquire is ordered after the release that it reads", "[proof][messages]") {
  REQUIRE(is_ordered({{writes_data, store(release, 1)}, {load(acquire, 1), reads_data}}));
  REQUIRE(is_ordered({{load(acquire, 1), reads_data}, {writes_data, store(release, 1)}}));
  REQUIRE(!is_ordered({{writes_data, store(relaxed, 1)}, {load(acquire, 1), reads_data}}));
  REQUIRE(!is_ordered({{writes_data, store(release, 1)}, {load(relaxed, 1), reads_data}}));
  REQUIRE(!is_ordered({{store(release, 1), writes_data}, {load(acquire, 1), reads_data}}));
  REQUIRE(!is_ordered({{writes_data, store(release, 1)}, {reads_data, load(acquire, 1)}}));
  REQUIRE(!is_ordered({{writes_data, store(release, 1)}, {load(acquire, 0), reads_data}}));
}

TEST_CASE("an acquire is not ordered after releases of the location that it does not read", "[proof][messages]") {
  // Another thread's relaxed store stands over the release.
  REQUIRE(!is_ordered({{writes_data, store(release, 1)}, {store(relaxed, 2)}, {load(acquire, 2), reads_data}}));
  REQUIRE(!is_ordered({{writes_data, store(release, 1)}, {store(release, 2)}, {load(acquire, 2), reads_data}}));
  // A lock in two steps: both have read that it is free, and the second store is over the first one's release.
  REQUIRE(!is_ordered({{load(acquire, 0), store(relaxed, 1), writes_data, store(release, 3)},
                       {load(acquire, 0), store(relaxed, 2), reads_data, store(release, 4)}}));
  // Taken by compare and swap.
  REQUIRE(is_ordered(
      {{change(acquire, 0), writes_data, store(release, 2)}, {change(acquire, 2), reads_data, store(release, 4)}}));
}

TEST_CASE("a read-modify-write hands on what the write that it reads carries", "[proof][messages]") {
  REQUIRE(is_ordered({{writes_data, store(release, 1)}, {change(relaxed, 1)}, {load(acquire, 2), reads_data}}));
  REQUIRE(is_ordered(
      {{writes_data, store(release, 1)}, {change(relaxed, 1)}, {change(release, 2)}, {load(acquire, 3), reads_data}}));
  REQUIRE(is_ordered(
      {{writes_data, change(release, 0)}, {change(release, 1)}, {change(acquire | release, 2), writes_data}}));
  REQUIRE(!is_ordered({{writes_data, store(release, 1)}, {change(relaxed, 1)}, {load(relaxed, 2), reads_data}}));
}

TEST_CASE("a thread's later store of a location is behind its release there", "[proof][messages]") {
  REQUIRE(is_ordered({{writes_data, store(release, 1), store(relaxed, 2)}, {load(acquire, 2), reads_data}}));
  REQUIRE(!is_ordered({{store(release, 1), writes_data, store(relaxed, 2)}, {load(acquire, 2), reads_data}}));
  REQUIRE(is_ordered({{writes_data, store(release, 1)}, {load(relaxed, 1), load(acquire, 1), reads_data}}));
}

TEST_CASE("fences order what is before and behind relaxed accesses", "[proof][messages]") {
  REQUIRE(is_ordered({{writes_data, fence(release), store(relaxed, 1)}, {load(acquire, 1), reads_data}}));
  REQUIRE(is_ordered({{writes_data, store(release, 1)}, {load(relaxed, 1), fence(acquire), reads_data}}));
  REQUIRE(
      is_ordered({{writes_data, fence(release), store(relaxed, 1)}, {load(relaxed, 1), fence(acquire), reads_data}}));
  REQUIRE(!is_ordered({{writes_data, store(relaxed, 1), fence(release)}, {load(acquire, 1), reads_data}}));
  REQUIRE(!is_ordered({{fence(release), writes_data, store(relaxed, 1)}, {load(acquire, 1), reads_data}}));
  REQUIRE(!is_ordered({{writes_data, fence(acquire), store(relaxed, 1)}, {load(acquire, 1), reads_data}}));
  REQUIRE(!is_ordered({{writes_data, store(release, 1)}, {fence(acquire), load(relaxed, 1), reads_data}}));
  REQUIRE(!is_ordered({{writes_data, store(release, 1)}, {load(relaxed, 1), fence(release), reads_data}}));
}

TEST_CASE("an ordinary access is ordered behind an atomic write that is observed before it", "[proof][messages]") {
  for (const Operation& plain : {resets, looks}) {
    REQUIRE(is_ordered({{change(relaxed, 0)}, {change(relaxed, 1), plain}}));
    REQUIRE(is_ordered({{store(relaxed, 1)}, {load(relaxed, 1), plain}}));
    // By a chain of read-modify-writes, and by a thread that another one is behind.
    REQUIRE(is_ordered({{store(relaxed, 1)}, {change(relaxed, 1)}, {change(relaxed, 2), plain}}));
    REQUIRE(is_ordered({{store(relaxed, 1)}, {load(relaxed, 1), meets}, {meets, plain}}));
    REQUIRE(!is_ordered({{store(relaxed, 1)}, {plain}}));
    REQUIRE(!is_ordered({{store(relaxed, 1)}, {plain, load(relaxed, 1)}}));
    REQUIRE(!is_ordered({{store(relaxed, 1)}, {store(relaxed, 2)}, {load(relaxed, 2), plain}}));
    REQUIRE(!is_ordered({{store(relaxed, 1), store(relaxed, 2)}, {load(relaxed, 2), plain}}));
    REQUIRE(!is_ordered({{change(relaxed, 0)}, {change(relaxed, 1), plain, change(relaxed, 2)}, {plain, resets}}));
    // In each other's scope alone.
    REQUIRE(!is_ordered({{store(relaxed, 1, Scope::cta)}, {load(relaxed, 1), plain}}, 2));
    REQUIRE(!is_ordered({{store(relaxed, 1)}, {load(relaxed, 1, Scope::cta), plain}}, 2));
  }
  // Loads are reads.
  REQUIRE(is_ordered({{load(relaxed, 0)}, {looks}}));
  REQUIRE(!is_ordered({{load(relaxed, 0)}, {resets}}));
  REQUIRE(!is_ordered({{looks, load(relaxed, 0)}, {store(relaxed, 1)}}));
  // What stands behind such an access reads it, and nothing that the atomic write carries.
  REQUIRE(
      is_ordered({{writes_data, store(release, 1)}, {load(relaxed, 1), meets}, {meets, load(acquire, 1), reads_data}}));
  REQUIRE(!is_ordered(
      {{writes_data, store(release, 1)}, {load(relaxed, 1), resets, meets}, {meets, load(acquire, 1), reads_data}}));
}

TEST_CASE("of many atomic writes those are forgotten that all threads are behind", "[proof][messages]") {
  Threads threads(2);
  for (int round = 0; round < 100; ++round) {
    threads[0].insert(threads[0].end(), {change(relaxed, 2 * round), meets, looks, meets});
    threads[1].insert(threads[1].end(), {change(relaxed, 2 * round + 1), meets, looks, meets});
  }
  REQUIRE(is_ordered(threads));
  threads[0].push_back(change(relaxed, 200));
  threads[1].push_back(looks);
  REQUIRE(!is_ordered(threads));
  // The others are not, however many there are.
  for (int count = 2; count <= 100; ++count) {
    Threads changes{{}, {load(relaxed, count), looks}};
    Threads stores = changes;
    for (int write = 0; write < count; ++write) {
      changes[0].push_back(change(relaxed, write));
      stores[0].push_back(store(relaxed, write + 1));
    }
    REQUIRE(is_ordered(changes));
    REQUIRE(!is_ordered(stores));
  }
}

TEST_CASE("at CTA scope nothing is ordered between the CTAs of a cluster", "[proof][messages]") {
  constexpr auto own = Scope::cta;
  constexpr auto all = Scope::cluster;
  for (const int ctas : {1, 2}) {
    REQUIRE(is_ordered({{writes_data, store(release, 1, all)}, {load(acquire, 1, all), reads_data}}, ctas));
    REQUIRE(is_ordered({{writes_data, store(release, 1, own)}, {load(acquire, 1, all), reads_data}}, ctas) ==
            (ctas == 1));
    REQUIRE(is_ordered({{writes_data, store(release, 1, all)}, {load(acquire, 1, own), reads_data}}, ctas) ==
            (ctas == 1));
    REQUIRE(
        is_ordered({{writes_data, fence(release, own), store(relaxed, 1, all)}, {load(acquire, 1, all), reads_data}},
                   ctas) == (ctas == 1));
    REQUIRE(
        is_ordered({{writes_data, fence(release, all), store(relaxed, 1, own)}, {load(acquire, 1, all), reads_data}},
                   ctas) == (ctas == 1));
    REQUIRE(
        is_ordered({{writes_data, store(release, 1, all)}, {load(relaxed, 1, all), fence(acquire, own), reads_data}},
                   ctas) == (ctas == 1));
    REQUIRE(is_ordered(
        {{writes_data, store(release, 1, all)}, {load(relaxed, 1, all), fence(acquire, all), reads_data}}, ctas));
  }
  // A change at CTA scope by the first CTA's other thread hands on, to its own CTA and from there.
  const Threads chain{{writes_data, store(release, 1, all)},
                      {change(relaxed, 1, own), change(relaxed, 2, all)},
                      {load(acquire, 3, all), reads_data},
                      {}};
  REQUIRE(is_ordered(chain, 2));
  const Threads broken{
      {writes_data, store(release, 1, all)}, {}, {change(relaxed, 1, own), load(acquire, 2, all), reads_data}, {}};
  REQUIRE(!is_ordered(broken, 2));
}

TEST_CASE("a relaxed arrival where threads meet orders what a fence of its scope releases", "[proof][messages]") {
  REQUIRE(is_ordered({{writes_data, meets}, {meets, reads_data}}));
  REQUIRE_FALSE(is_ordered({{writes_data, meets_relaxed}, {meets, reads_data}}));
  REQUIRE(is_ordered({{writes_data, meets}, {meets_relaxed, reads_data}}));  // The wait acquires.
  REQUIRE(is_ordered({{writes_data, fence(release), meets_relaxed}, {meets_relaxed, reads_data}}));
  REQUIRE_FALSE(is_ordered({{fence(release), writes_data, meets_relaxed}, {meets_relaxed, reads_data}}));
  REQUIRE_FALSE(is_ordered({{writes_data, fence(release, Scope::cta), meets_relaxed}, {meets, reads_data}}, 2));
}
