#include "host/proof/faulty_kernels.hpp"

#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <algorithm>
#include <string>
#include <vector>

using dma::proof::FindingKind;
using dma::proof::Verdict;
using namespace faulty;

namespace {

template <class Barrier, class Engine>
Verdict verdict_on(Fault fault) {
  alignas(16) static float in[tiles * 64] = {};
  alignas(16) float out[tiles * 64] = {};
  int order = 0;
  for (std::size_t i = 0; i < std::size(in); ++i) {
    in[i] = static_cast<float>(i + 1);
  }
  using Loading = Kernel<Loads<Barrier, Engine>, Second<Barrier, Engine>>;
  // Two orders may begin with the same thread.
  const dma::proof::Options options{.seeds = fault == Fault::depends_on_order ? 6 : 2,
                                    .inputs = {dma::proof::input(in)},
                                    .outputs = {dma::proof::output(out), dma::proof::output(&order, 1)}};
  return dma::proof::prove(options, Loading{}, {1}, &in[0], &out[0], &order, fault);
}
template <class Barrier, class Engine>
Verdict verdict_on_store(Fault fault) {
  alignas(16) float out[tiles * 64] = {};
  return dma::proof::prove(StoreKernel<Stores<Barrier, Engine>>{}, {1}, &out[0], fault);
}

void expect_kind(const Verdict& verdict, const Kinds& kinds) {
  CAPTURE(verdict);
  REQUIRE(std::find(kinds.begin(), kinds.end(), verdict.kind) != kinds.end());
}

/// Two pipelines of one type; a tile more is waited for in the second.
struct Twins {
  using Layout = faulty::Layout;
  using Pipe = Loads<Phase, Registers>;
  struct Shared {
    Pipe::Storage first, second;
  };
  void operator()(dma::KernelCta<Twins>& cta, const float* in) const {
    auto& shared = cta.shared<Shared>();
    Pipe first(cta, shared.first);
    Pipe second(cta, shared.second);
    if (first.is_dma()) {
      first.as_dma().load(in);
      second.as_dma().load(in);
    } else if (first.is_compute()) {
      first.as_compute().wait().release();
      second.as_compute().wait().release();
      second.as_compute().wait().release();
    }
  }
};

/// A mistake in a kernel, and what may be said of it: the cause and its first symptom differ.
struct Mistake {
  Fault fault;
  const char* name;
  Kinds kinds;
};
const std::vector<Mistake> mistakes = {
    {Fault::no_release, "one tile is not released", {FindingKind::broken_contract}},
    {Fault::released_twice, "one tile is released twice", {FindingKind::broken_contract}},
    {Fault::release_before_wait, "tiles are released before they are full", {FindingKind::broken_contract}},
    {Fault::one_warp_leaves,
     "one warp leaves before the last tile",
     {FindingKind::deadlock, FindingKind::armed_at_exit}},
    {Fault::one_warp_skips_a_tile,
     "one warp skips a tile",
     {FindingKind::deadlock, FindingKind::recycled_barrier, FindingKind::race, FindingKind::arrival_count,
      FindingKind::unfinished_copy, FindingKind::armed_at_exit}},
    {Fault::one_trip_too_many, "one iteration too many", {FindingKind::deadlock}},
    {Fault::one_trip_too_few, "one iteration too few", {FindingKind::deadlock, FindingKind::unused_tile}},
    {Fault::one_load_too_many, "one tile is loaded and not used", {FindingKind::deadlock, FindingKind::unused_tile}},
    {Fault::copy_before_wait, "a tile is copied before its slot is empty", {FindingKind::broken_contract}},
    {Fault::copy_without_wait, "no thread waits for empty", {FindingKind::broken_contract}},
    {Fault::copy_after_signal, "a tile is copied after it was signalled", {FindingKind::broken_contract}},
    {Fault::synchronizes_half, "only the compute warps synchronize the CTA", {FindingKind::deadlock}},
    {Fault::swaps_releases, "two pipelines' releases are exchanged", {FindingKind::broken_contract}},
    {Fault::forgets_second, "the second pipeline's tiles are never used", {FindingKind::deadlock}},
    {Fault::writes_one_element, "all threads write one element", {FindingKind::race}},
    {Fault::holds_and_waits, "a thread holds all slots and waits for one more", {FindingKind::broken_contract}},
    // Its counter in global memory is a race, where accesses to that are seen.
    {Fault::depends_on_order, "the first thread does more", {FindingKind::depends_on_schedule, FindingKind::race}},
};

}  // namespace

TEST_CASE("a kernel without a mistake is proved, by every engine and barrier", "[proof][faults]") {
  expect_kind(verdict_on<Phase, Registers>(Fault::none), {FindingKind::none});
  expect_kind(verdict_on<Named, Registers>(Fault::none), {FindingKind::none});
  expect_kind(verdict_on<Phase, Async>(Fault::none), {FindingKind::none});
  expect_kind(verdict_on<Named, Async>(Fault::none), {FindingKind::none});
  expect_kind(verdict_on<Phase, Bulk>(Fault::none), {FindingKind::none});
  expect_kind(verdict_on_store<Phase, Registers>(Fault::none), {FindingKind::none});
  expect_kind(verdict_on_store<Named, Registers>(Fault::none), {FindingKind::none});
  expect_kind(verdict_on_store<Phase, Bulk>(Fault::none), {FindingKind::none});
}

TEST_CASE("a mistake in a kernel is reported whatever the engine and the barrier", "[proof][faults]") {
  const Mistake mistake = GENERATE(from_range(mistakes));
  DYNAMIC_SECTION(mistake.name) {
    expect_kind(verdict_on<Phase, Registers>(mistake.fault), mistake.kinds);
    expect_kind(verdict_on<Named, Registers>(mistake.fault), mistake.kinds);
    expect_kind(verdict_on<Phase, Async>(mistake.fault), mistake.kinds);
    expect_kind(verdict_on<Named, Async>(mistake.fault), mistake.kinds);
    expect_kind(verdict_on<Phase, Bulk>(mistake.fault), mistake.kinds);
  }
}

TEST_CASE("the shortest schedule is the same one whatever run was recorded", "[proof][faults]") {
  alignas(16) float in[tiles * 64] = {};
  alignas(16) float out[tiles * 64] = {};
  int order = 0;
  using Loading = Kernel<Loads<Phase, Bulk>, Second<Phase, Bulk>>;
  const auto timeline = [&](unsigned seed) {
    const dma::proof::Options options{.first_seed = seed, .seeds = 1};
    return dma::proof::explore(options, Loading{}, {1}, &in[0], &out[0], &order, Fault::one_trip_too_many).timeline;
  };
  REQUIRE(!timeline(0).steps.empty());
  REQUIRE(timeline(0) == timeline(0));
  REQUIRE(timeline(0) == timeline(7));
}

TEST_CASE("launch and prove give the second pipeline of a type the same letter", "[proof][faults]") {
  alignas(16) static const float in[64] = {};
  const std::string storage = ", at byte " + std::to_string(sizeof(Twins::Pipe::Storage)) + " of shared memory";
  const auto expect_named = [&](const std::string& text) {
    CAPTURE(text);
    REQUIRE(text.find("full, slot 1 of pipeline B (faults_test.cpp:") != std::string::npos);
    const std::size_t legend = text.find("  pipeline B: dma::DmaPipeline<");
    REQUIRE(legend != std::string::npos);
    REQUIRE(text.find(storage, legend) != std::string::npos);
  };
  const Verdict verdict = dma::proof::prove(Twins{}, {1}, &in[0]);
  expect_kind(verdict, {FindingKind::deadlock});
  expect_named(verdict.message + '\n' + verdict.timeline.text());
  try {
    dma::host::launch(Twins{}, {1}, &in[0]);
    FAIL("the launch ended");
  } catch (const dma::host::Deadlock& deadlock) {
    expect_named(deadlock.what());
  }
}

TEST_CASE("a write into a loaded tile is fenced by the release of its slot", "[proof][faults]") {
  // Harmless: the library fences where bulk copies refill, and the others are in the threads' own proxy.
  expect_kind(verdict_on<Phase, Bulk>(Fault::writes_its_element), {FindingKind::none});
  expect_kind(verdict_on<Phase, Registers>(Fault::writes_its_element), {FindingKind::none});
  expect_kind(verdict_on<Phase, Async>(Fault::writes_its_element), {FindingKind::none});
}

TEST_CASE("a tile that is signalled and not copied is seen by its elements alone", "[proof][faults]") {
  // Arrivals and bytes agree, and the tile holds an older one.
  const Kinds kinds{dma::proof::sees_every_access ? FindingKind::unwritten_bytes : FindingKind::none};
  expect_kind(verdict_on<Phase, Registers>(Fault::signal_without_copy), kinds);
  expect_kind(verdict_on<Phase, Bulk>(Fault::signal_without_copy), kinds);
}

TEST_CASE("mistakes in a kernel that stores are reported", "[proof][faults]") {
  expect_kind(verdict_on_store<Phase, Registers>(Fault::reads_its_neighbours), {FindingKind::race});
  expect_kind(verdict_on_store<Phase, Bulk>(Fault::reads_its_neighbours), {FindingKind::race});
  expect_kind(verdict_on_store<Phase, Registers>(Fault::copy_before_wait), {FindingKind::broken_contract});
  expect_kind(verdict_on_store<Named, Registers>(Fault::copy_before_wait), {FindingKind::broken_contract});
  expect_kind(verdict_on_store<Phase, Bulk>(Fault::copy_before_wait), {FindingKind::broken_contract});
  expect_kind(verdict_on_store<Phase, Registers>(Fault::one_warp_leaves), {FindingKind::deadlock});
  expect_kind(verdict_on_store<Named, Registers>(Fault::one_warp_leaves), {FindingKind::deadlock});
  expect_kind(verdict_on_store<Phase, Bulk>(Fault::one_warp_leaves), {FindingKind::deadlock});
}

TEST_CASE("barriers with a mistake are reported", "[proof][faults]") {
  const auto after = [](auto barrier) { return verdict_on<decltype(barrier), Registers>(Fault::none); };
  expect_kind(after(OneArrivalMore{}), {FindingKind::deadlock});
  expect_kind(after(OneArrivalFewer{}),
              {FindingKind::recycled_barrier, FindingKind::arrival_count, FindingKind::race, FindingKind::deadlock});
  expect_kind(after(OtherParity{}), {FindingKind::race, FindingKind::recycled_barrier, FindingKind::deadlock});
  expect_kind(after(ArrivesWithoutItsWarp{}), {FindingKind::race, FindingKind::recycled_barrier});
  expect_kind(after(ArrivesTwice{}), {FindingKind::recycled_barrier, FindingKind::arrival_count, FindingKind::race});
  expect_kind(after(EveryLaneArrives{}),
              {FindingKind::recycled_barrier, FindingKind::arrival_count, FindingKind::race});
  expect_kind(after(OneLaneWaits{}), {FindingKind::race, FindingKind::recycled_barrier});
  expect_kind(after(NeverWaits{}), {FindingKind::race, FindingKind::recycled_barrier});
  expect_kind(after(FewerThreads{}), {FindingKind::arrival_count, FindingKind::race});
  expect_kind(after(FewerThreadsEverywhere{}),
              {FindingKind::arrival_count, FindingKind::recycled_barrier, FindingKind::race, FindingKind::deadlock});
  expect_kind(after(OneIdForAll{}),
              {FindingKind::arrival_count, FindingKind::recycled_barrier, FindingKind::race, FindingKind::deadlock});
  expect_kind(after(OnlyArrives{}),
              {FindingKind::no_waiter, FindingKind::recycled_barrier, FindingKind::race, FindingKind::arrival_count});
}

TEST_CASE("barriers that lose sight of copies are reported", "[proof][faults]") {
  expect_kind(verdict_on<ForgetsCopies, Async>(Fault::none),
              {FindingKind::unfinished_copy, FindingKind::armed_at_exit});
  expect_kind(verdict_on<ArrivesBeforeItsCopies, Async>(Fault::none), {FindingKind::unfinished_copy});
  expect_kind(verdict_on<ExpectsMoreBytes, Bulk>(Fault::none), {FindingKind::deadlock});
  expect_kind(
      verdict_on<ExpectsAfterArriving, Bulk>(Fault::none),
      {FindingKind::recycled_barrier, FindingKind::arrival_count, FindingKind::unfinished_copy, FindingKind::deadlock});
}
