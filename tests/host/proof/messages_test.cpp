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
Operation load(int order, int from, Scope scope = Scope::gpu) { return atomic(order, from, 0, scope); }
Operation store(int order, int write, Scope scope = Scope::gpu) { return atomic(order, none, write, scope); }
Operation change(int order, int from, Scope scope = Scope::gpu) { return atomic(order, from, from + 1, scope); }
Operation fence(int order, Scope scope = Scope::gpu) {
  return {.kind = OperationKind::fence_threads, .count = order, .scope = scope};
}
const Operation writes_data{.kind = OperationKind::access, .writes = 2};
const Operation reads_data{.kind = OperationKind::access, .reads = 2};

using Threads = std::vector<std::vector<Operation>>;

/// @param ctas  of a cluster, each with as many of the threads
FindingKind judged(const Threads& threads, int ctas = 1) {
  Program program;
  program.ctas = ctas;
  program.cells = 2;
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
