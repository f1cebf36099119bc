#include "host/proof/mutations.hpp"
#include "host/proof/faulty_kernels.hpp"

#include <dma/proof/clocks/clock_judge.hpp>
#include <dma/proof/prove.hpp>
#include <dma/proof/record/recorder.hpp>
#include <dma/proof/record/warps.hpp>
#include <dma/proof/search/search.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <algorithm>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

using namespace mutations;
using namespace faulty;
using dma::proof::FindingKind;
using dma::proof::detail::Program;

namespace {

constexpr auto everything = 1 << 20;

/// A loading kernel of two pipelines, two slots each: warps 0 and 1 compute, 2 and 3 load.
template <class Barrier, class Engine>
Recording recorded() {
  alignas(16) static float in[tiles * 64] = {};
  alignas(16) static float out[tiles * 64];
  static int order = 0;
  using Loading = Kernel<Loads<Barrier, Engine>, Second<Barrier, Engine>>;
  return dma::proof::detail::record(Loading{}, {0, 0, 0}, {1}, 0U, false, &in[0], &out[0], &order, Fault::none);
}
template <class Barrier, class Engine>
Recording recorded_store() {
  alignas(16) static float out[tiles * 64];
  return dma::proof::detail::record(StoreKernel<Stores<Barrier, Engine>>{}, {0, 0, 0}, {1}, 0U, false, &out[0],
                                    Fault::none);
}

FindingKind by_clocks(const Recording& recording) {
  const Program program = dma::proof::detail::program_of_threads(recording);
  return dma::proof::detail::ClockJudge(program).judge().kind;
}
/// Of warps, where their lanes stay together and the search ends.
FindingKind by_search(const Recording& recording) {
  const auto program = dma::proof::detail::program_of_warps(recording);
  return program ? dma::proof::detail::Search(*program, {.states = 500'000, .seconds = 5}).judge().kind
                 : FindingKind::divergent_lanes;
}

/// A fault that is put into a recorded run.
struct Mutation {
  const char* name;
  Recording (*record)();
  std::function<int(Recording&)> put_in;  ///< how many operations it edits
  Kinds kinds;                            ///< what may be said of it; `none` where it is harmless
};

constexpr FindingKind none = FindingKind::none;
constexpr FindingKind deadlock = FindingKind::deadlock;
constexpr FindingKind race = FindingKind::race;
constexpr FindingKind copying = FindingKind::unfinished_copy;
constexpr FindingKind recycled = FindingKind::recycled_barrier;
constexpr FindingKind count = FindingKind::arrival_count;
constexpr FindingKind armed = FindingKind::armed_at_exit;
constexpr FindingKind unopened = FindingKind::barrier_not_open;
constexpr FindingKind unfenced = FindingKind::missing_fence;

Select kind_in_warp(OperationKind kind, int warp) {
  return [=](int thread, const Operation& operation) {
    return thread / 32 == warp && operation.kind == kind && !Recording::is_meeting(operation) && !is_of_cta(operation);
  };
}
Select meeting_of(int warp) {
  return
      [=](int thread, const Operation& operation) { return thread / 32 == warp && Recording::is_meeting(operation); };
}

const std::vector<Mutation> mutations_of_loads = {
    {"a DMA warp's arrival at full is dropped",
     recorded<Phase, Registers>,
     [](Recording& r) { return drop(r, kind_in_warp(OperationKind::phase_arrive, 2), 2); },
     {deadlock}},
    {"the last arrival at full is dropped",
     recorded<Phase, Registers>,
     [](Recording& r) { return drop(r, kind_in_warp(OperationKind::phase_arrive, 2), 6); },
     {deadlock}},
    {"a DMA warp arrives at full twice",
     recorded<Phase, Registers>,
     [](Recording& r) { return repeat(r, kind_in_warp(OperationKind::phase_arrive, 2), 2); },
     {recycled, count, race, deadlock}},
    {"a compute warp's arrival at empty is dropped",
     recorded<Phase, Registers>,
     [](Recording& r) { return drop(r, kind_in_warp(OperationKind::phase_arrive, 0), 1); },
     {deadlock, recycled, race}},
    {"the last arrivals at empty are dropped",
     recorded<Phase, Registers>,
     [](Recording& r) { return drop(r, kind_in_warp(OperationKind::phase_arrive, 0), 13); },
     {deadlock, armed}},
    {"a compute warp arrives at empty twice",
     recorded<Phase, Registers>,
     [](Recording& r) { return repeat(r, kind_in_warp(OperationKind::phase_arrive, 1), 3); },
     {recycled, count, race, deadlock}},
    {"a compute warp waits for full too late",
     recorded<Phase, Registers>,
     [](Recording& r) { return move(r, kind_in_warp(OperationKind::wait, 0), 1, 2); },
     {race, recycled}},
    {"a compute warp does not wait for full once",
     recorded<Phase, Registers>,
     [](Recording& r) { return drop(r, kind_in_warp(OperationKind::wait, 0), 2); },
     {race, recycled}},
    {"one lane does not wait for full once",
     recorded<Phase, Registers>,
     [](Recording& r) {
       return drop(
           r, [](int thread, const Operation& o) { return thread == 5 && o.kind == OperationKind::wait; }, 2);
     },
     {race, recycled}},
    {"a DMA warp does not wait for empty once",
     recorded<Phase, Registers>,
     [](Recording& r) { return drop(r, kind_in_warp(OperationKind::wait, 2), 1); },
     {race, recycled}},
    {"a DMA warp never waits for empty",
     recorded<Phase, Registers>,
     [](Recording& r) { return drop(r, kind_in_warp(OperationKind::wait, 2), 0, everything); },
     {race, recycled}},
    {"a wait for full has the other parity",
     recorded<Phase, Registers>,
     [](Recording& r) {
       return change(
           r, kind_in_warp(OperationKind::wait, 0), [](Operation& o) { o.count ^= 1; }, 4);
     },
     {race, recycled, deadlock}},
    {"all waits of a warp have the other parity",
     recorded<Phase, Registers>,
     [](Recording& r) {
       return change(
           r, kind_in_warp(OperationKind::wait, 1), [](Operation& o) { o.count ^= 1; }, 0, everything);
     },
     {race, recycled, deadlock}},
    {"a wait for full is for the other slot",
     recorded<Phase, Registers>,
     [](Recording& r) {
       return change(
           r, kind_in_warp(OperationKind::wait, 0), [](Operation& o) { o.barrier ^= 2; }, 2);
     },
     {race, recycled, deadlock}},
    {"a barrier takes an arrival more",
     recorded<Phase, Registers>,
     [](Recording& r) {
       return change(
           r, kind_in_warp(OperationKind::open, 0), [](Operation& o) { ++o.count; }, 1);
     },
     {deadlock}},
    {"a barrier takes an arrival fewer",
     recorded<Phase, Registers>,
     [](Recording& r) {
       return change(
           r, kind_in_warp(OperationKind::open, 0), [](Operation& o) { --o.count; }, 1);
     },
     {recycled, count, race}},
    {"a barrier is not opened",
     recorded<Phase, Registers>,
     [](Recording& r) { return drop(r, kind_in_warp(OperationKind::open, 0), 2); },
     {unopened}},
    {"a barrier is opened twice",
     recorded<Phase, Registers>,
     [](Recording& r) { return repeat(r, kind_in_warp(OperationKind::open, 0), 2); },
     {unopened}},
    {"no warp waits for the barriers to be open",
     recorded<Phase, Registers>,
     [](Recording& r) {
       return drop(
           r, [](int, const Operation& o) { return is_of_cta(o); }, 0, everything);
     },
     {unopened}},
    {"a slot is released before it was read",
     recorded<Phase, Registers>,
     [](Recording& r) { return move(r, kind_in_warp(OperationKind::access, 0), 2, 3); },
     {race}},
    {"a tile is signalled before it was written",
     recorded<Phase, Registers>,
     [](Recording& r) { return move(r, kind_in_warp(OperationKind::access, 2), 2, 3); },
     {race}},
    {"a compute warp does not synchronize before its release",
     recorded<Phase, Registers>,
     [](Recording& r) { return drop(r, meeting_of(0), 4); },
     {race, recycled}},
    {"a compute warp never synchronizes",
     recorded<Phase, Registers>,
     [](Recording& r) { return drop(r, meeting_of(0), 0, everything); },
     {race, recycled}},
    {"a DMA warp does not synchronize before its arrival",
     recorded<Phase, Registers>,
     [](Recording& r) { return drop(r, meeting_of(2), 6); },
     {race, recycled, none}},
    {"one lane does not synchronize with the others",
     recorded<Phase, Registers>,
     [](Recording& r) {
       return drop(
           r, [](int thread, const Operation& o) { return thread == 40 && Recording::is_meeting(o); }, 3);
     },
     {deadlock, recycled, race}},
    {"a compute warp ends before its last tile",
     recorded<Phase, Registers>,
     [](Recording& r) {
       return drop(
           r, [](int thread, const Operation& o) { return thread / 32 == 1 && !is_of_cta(o); }, 40, everything);
     },
     {deadlock, recycled, armed}},
    {"two slots' barriers are exchanged for one warp",
     recorded<Phase, Registers>,
     [](Recording& r) {
       return change(
           r, kind_in_warp(OperationKind::phase_arrive, 2), [](Operation& o) { o.barrier ^= 2; }, 0, everything);
     },
     {race, recycled, deadlock, count}},
    {"full and empty are exchanged for one arrival",
     recorded<Phase, Registers>,
     [](Recording& r) {
       return change(
           r, kind_in_warp(OperationKind::phase_arrive, 2), [](Operation& o) { o.barrier ^= 1; }, 2);
     },
     {race, recycled, deadlock, count}},
    {"two pipelines' barriers are exchanged for one warp",
     recorded<Phase, Registers>,
     [](Recording& r) {
       return change(
           r, kind_in_warp(OperationKind::phase_arrive, 2), [](Operation& o) { o.barrier += 4; }, 0, everything);
     },
     {race, recycled, deadlock, count}},

    {"an arrival at a named full is dropped",
     recorded<Named, Registers>,
     [](Recording& r) { return drop(r, kind_in_warp(OperationKind::arrive, 2), 2); },
     {deadlock}},
    {"an arrival at a named full is doubled",
     recorded<Named, Registers>,
     [](Recording& r) { return repeat(r, kind_in_warp(OperationKind::arrive, 2), 2); },
     {recycled, count, race, deadlock, FindingKind::no_waiter, armed}},
    {"a named barrier counts a warp more",
     recorded<Named, Registers>,
     [](Recording& r) {
       return change(
           r, kind_in_warp(OperationKind::arrive, 2), [](Operation& o) { o.count += 32; }, 2);
     },
     {count}},
    {"a named barrier counts a warp fewer everywhere",
     recorded<Named, Registers>,
     [](Recording& r) {
       return change(
           r,
           [](int, const Operation& o) {
             return (o.kind == OperationKind::arrive || o.kind == OperationKind::sync) && !Recording::is_meeting(o) &&
                    !is_of_cta(o);
           },
           [](Operation& o) { o.count -= 32; }, 0, everything);
     },
     {count, recycled, race, deadlock}},
    {"a drain is missing",
     recorded<Named, Registers>,
     [](Recording& r) { return drop(r, kind_in_warp(OperationKind::sync, 2), 6); },
     {armed, deadlock}},
    {"two pipelines have the same named barriers",
     recorded<Named, Registers>,
     [](Recording& r) {
       return change(
           r,
           [](int, const Operation& o) {
             return (o.kind == OperationKind::arrive || o.kind == OperationKind::sync) && o.barrier >= 8 &&
                    !Recording::is_meeting(o);
           },
           [](Operation& o) { o.barrier -= 7; }, 0, everything);
     },
     {count, recycled, race, deadlock}},
    {"a wait at a named full is only an arrival",
     recorded<Named, Registers>,
     [](Recording& r) {
       return change(
           r, kind_in_warp(OperationKind::sync, 0), [](Operation& o) { o.kind = OperationKind::arrive; }, 2);
     },
     {race, recycled}},

    {"cp.async are not tied to full",
     recorded<Phase, Async>,
     [](Recording& r) { return drop(r, kind_in_warp(OperationKind::arrive_when_copied, 2), 2); },
     {deadlock}},
    {"full is tied before the copies are issued",
     recorded<Phase, Async>,
     [](Recording& r) { return move(r, kind_in_warp(OperationKind::arrive_when_copied, 2), -2, 2); },
     {copying, recycled}},
    {"cp.async are not waited for before a named full",
     recorded<Named, Async>,
     [](Recording& r) { return drop(r, kind_in_warp(OperationKind::await_async, 2), 2); },
     {copying}},
    {"one lane does not wait for its last cp.async",
     recorded<Named, Async>,
     [](Recording& r) {
       return drop(
           r, [](int thread, const Operation& o) { return thread == 70 && o.kind == OperationKind::await_async; }, 6);
     },
     {copying, armed}},

    {"bytes are not expected",
     recorded<Phase, Bulk>,
     [](Recording& r) { return drop(r, kind_in_warp(OperationKind::expect, 2), 2); },
     {recycled, deadlock, copying, armed}},
    {"too many bytes are expected",
     recorded<Phase, Bulk>,
     [](Recording& r) {
       return change(
           r, kind_in_warp(OperationKind::expect, 2), [](Operation& o) { o.count += 16; }, 2);
     },
     {deadlock}},
    {"bytes are expected after the arrival",
     recorded<Phase, Bulk>,
     [](Recording& r) { return move(r, kind_in_warp(OperationKind::expect, 2), 2, 2); },
     {recycled, deadlock, copying}},
    {"a bulk copy is issued after the arrival, its bytes are expected before",
     recorded<Phase, Bulk>,
     [](Recording& r) { return move(r, kind_in_warp(OperationKind::copy_to_shared, 2), 2, 2); },
     {none, recycled}},
    {"a bulk copy reports to the other slot's full",
     recorded<Phase, Bulk>,
     [](Recording& r) {
       return change(
           r, kind_in_warp(OperationKind::copy_to_shared, 2), [](Operation& o) { o.barrier ^= 2; }, 2);
     },
     {recycled, deadlock, copying}},
    {"a bulk copy is issued twice",
     recorded<Phase, Bulk>,
     [](Recording& r) { return repeat(r, kind_in_warp(OperationKind::copy_to_shared, 2), 2); },
     {recycled, deadlock, copying}},
    {"barriers are not fenced when they are open",
     recorded<Phase, Bulk>,
     [](Recording& r) { return drop(r, kind_in_warp(OperationKind::fence, 0), 0, everything); },
     {unfenced}},
};

const std::vector<Mutation> mutations_of_stores = {
    {"a compute warp does not fence what it wrote",
     recorded_store<Phase, Bulk>,
     [](Recording& r) { return drop(r, kind_in_warp(OperationKind::fence, 1), 2); },
     {unfenced}},
    {"one lane does not fence what it wrote",
     recorded_store<Phase, Bulk>,
     [](Recording& r) {
       return drop(
           r, [](int thread, const Operation& o) { return thread == 37 && o.kind == OperationKind::fence; }, 2);
     },
     {unfenced}},
    {"the fence comes before the writes",
     recorded_store<Phase, Bulk>,
     [](Recording& r) { return move(r, kind_in_warp(OperationKind::fence, 1), -1, 2); },
     {unfenced}},
    {"the fence comes after the release",
     recorded_store<Phase, Bulk>,
     [](Recording& r) { return move(r, kind_in_warp(OperationKind::fence, 1), 2, 2); },
     {unfenced}},
    {"the fence comes after the warp's synchronization, before the arrival of one lane for all",
     recorded_store<Phase, Bulk>,
     [](Recording& r) { return move(r, kind_in_warp(OperationKind::fence, 1), 1, 2); },
     {none}},
    {"bulk stores are not waited for before empty",
     recorded_store<Phase, Bulk>,
     [](Recording& r) { return drop(r, kind_in_warp(OperationKind::await_group_reads, 2), 1, 2); },
     {copying}},
    {"one bulk store more may be in flight",
     recorded_store<Phase, Bulk>,
     [](Recording& r) {
       return change(
           r, kind_in_warp(OperationKind::await_group_reads, 2), [](Operation& o) { ++o.count; }, 0, everything);
     },
     {copying, armed}},
    {"the last bulk stores are not waited for",
     recorded_store<Phase, Bulk>,
     [](Recording& r) {
       return drop(
           r, [](int thread, const Operation& o) { return thread == 64 && o.kind == OperationKind::await_group_reads; },
           6, everything);
     },
     {copying, armed}},
    {"a bulk store's group is left open",
     recorded_store<Phase, Bulk>,
     [](Recording& r) { return drop(r, kind_in_warp(OperationKind::commit_group, 2), 6); },
     {armed, copying}},
    {"a slot is released before it was stored",
     recorded_store<Phase, Registers>,
     [](Recording& r) { return move(r, kind_in_warp(OperationKind::access, 2), 4, 3); },
     {race}},
    {"a stored slot is released and not waited for",
     recorded_store<Named, Registers>,
     [](Recording& r) {
       return change(
           r, kind_in_warp(OperationKind::sync, 0), [](Operation& o) { o.kind = OperationKind::arrive; }, 2);
     },
     {race, recycled, FindingKind::no_waiter}},
    {"the compute warps do not drain",
     recorded_store<Named, Registers>,
     [](Recording& r) {
       return drop(
           r,
           [](int thread, const Operation& o) {
             return thread < 64 && o.kind == OperationKind::sync && !Recording::is_meeting(o) && !is_of_cta(o);
           },
           5, everything);
     },
     {armed, deadlock}},
};

void check(const Mutation& mutation, int& refused) {
  Recording recording = mutation.record();
  REQUIRE(recording.error.empty());
  REQUIRE(by_clocks(recording) == none);
  REQUIRE(by_search(recording) == none);
  REQUIRE(mutation.put_in(recording) > 0);
  const FindingKind kind = by_clocks(recording);
  const FindingKind searched = by_search(recording);
  INFO(dma::proof::name_of(kind) << " by the clocks, " << dma::proof::name_of(searched) << " by the search");
  REQUIRE(std::find(mutation.kinds.begin(), mutation.kinds.end(), kind) != mutation.kinds.end());
  if (searched == FindingKind::divergent_lanes || searched == FindingKind::too_many_states) {
    ++refused;
  } else {
    REQUIRE((searched == none) == (kind == none));
  }
}

}  // namespace

TEST_CASE("a fault in what a loading kernel does is reported", "[proof][mutation]") {
  const Mutation mutation = GENERATE(from_range(mutations_of_loads));
  int refused = 0;
  DYNAMIC_SECTION(mutation.name) { check(mutation, refused); }
}

TEST_CASE("a fault in what a storing kernel does is reported", "[proof][mutation]") {
  const Mutation mutation = GENERATE(from_range(mutations_of_stores));
  int refused = 0;
  DYNAMIC_SECTION(mutation.name) { check(mutation, refused); }
}
