#include "host/proof/brute_force.hpp"
#include "host/proof/judges.hpp"
#include "host/proof/random_programs.hpp"
#include "host/proof/small_programs.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <vector>

using dma::proof::detail::Event;
using dma::proof::detail::Search;
using small::by_both;
using small::by_search;
using small::FindingKind;
using small::program;
using namespace small;

TEST_CASE("two writes that nothing orders are a race, and a barrier between them is none", "[proof]") {
  REQUIRE(by_both(program({{write(1)}, {write(1)}})) == FindingKind::race);
  REQUIRE(by_both(program({{write(1)}, {read(1)}})) == FindingKind::race);
  REQUIRE(by_both(program({{read(1)}, {read(1)}})) == FindingKind::none);
  REQUIRE(by_both(program({{write(1)}, {write(2)}})) == FindingKind::none);
  REQUIRE(by_both(program({{write(1), sync(0, 2)}, {sync(0, 2), write(1)}}, 1)) == FindingKind::none);
  REQUIRE(by_both(program({{write(1), arrive(0, 2)}, {sync(0, 2), write(1)}}, 1)) == FindingKind::none);
  REQUIRE(by_both(program({{arrive(0, 2), write(1)}, {sync(0, 2), write(1)}}, 1)) == FindingKind::race);
}

TEST_CASE("agents that wait for each other at different barriers are deadlocked", "[proof]") {
  REQUIRE(by_both(program({{sync(0, 2), arrive(1, 2)}, {sync(1, 2), arrive(0, 2)}}, 2)) == FindingKind::deadlock);
  REQUIRE(by_both(program({{arrive(1, 2), sync(0, 2)}, {arrive(0, 2), sync(1, 2)}}, 2)) == FindingKind::none);
  REQUIRE(by_both(program({{wait(0, 0), phase_arrive(1)}, {wait(1, 0), phase_arrive(0)}}, 0, {1, 1})) ==
          FindingKind::deadlock);
}

TEST_CASE("a named barrier that is used again needs an order of its generations", "[proof]") {
  // Weft, section 2: the producer's second arrival could complete the generation that consumers still wait at.
  REQUIRE(by_both(program({{sync(0, 2), sync(0, 2)}, {arrive(0, 2), arrive(0, 2)}}, 1)) ==
          FindingKind::recycled_barrier);
  REQUIRE(by_both(program({{arrive(0, 2), sync(1, 2), arrive(0, 2)}, {sync(0, 2), arrive(1, 2), sync(0, 2)}}, 2)) ==
          FindingKind::none);
  // Two pairs that share a barrier, and would not if one waited for the other.
  REQUIRE(by_both(program({{arrive(0, 2)}, {sync(0, 2)}, {arrive(0, 2)}, {sync(0, 2)}}, 1)) != FindingKind::none);
  REQUIRE(by_both(program(
              {{arrive(0, 2)}, {sync(0, 2), arrive(1, 3)}, {sync(1, 3), arrive(0, 2)}, {sync(1, 3), sync(0, 2)}}, 2)) ==
          FindingKind::none);
}

TEST_CASE("agents at a named barrier agree on their number, and one of them waits", "[proof]") {
  REQUIRE(by_both(program({{sync(0, 2)}, {sync(0, 3)}, {sync(0, 3)}}, 1)) == FindingKind::arrival_count);
  REQUIRE(by_both(program({{arrive(0, 2)}, {arrive(0, 2)}}, 1)) == FindingKind::no_waiter);
  REQUIRE(by_both(program({{arrive(0, 2)}, {read(1)}}, 1)) == FindingKind::armed_at_exit);
}

TEST_CASE("a wait that may miss its phase is reported", "[proof]") {
  // Only one of the two that wait for empty arrives at full: the other may sleep through two phases.
  const List leader = {phase_arrive(0), wait(1, 0), phase_arrive(0), wait(1, 1), phase_arrive(0)};
  const List laggard = {wait(1, 0), wait(1, 1)};
  const List user = {wait(0, 0), phase_arrive(1), wait(0, 1), phase_arrive(1), wait(0, 0)};
  REQUIRE(by_both(program({leader, user}, 0, {1, 1})) == FindingKind::none);
  REQUIRE(by_both(program({leader, laggard, user}, 0, {1, 1})) == FindingKind::recycled_barrier);
}

TEST_CASE("an arrival too many is reported", "[proof]") {
  REQUIRE(by_both(program({{phase_arrive(0), phase_arrive(0)}, {wait(0, 0)}}, 0, {1})) != FindingKind::none);
  REQUIRE(by_both(program({{phase_arrive(0), phase_arrive(0)}, {wait(0, 0)}}, 0, {2})) == FindingKind::none);
  REQUIRE(by_both(program({{phase_arrive(0, 16), phase_arrive(0)}}, 0, {1})) == FindingKind::arrival_count);
  REQUIRE(by_both(program({{phase_arrive(0)}, {read(1)}}, 0, {2})) == FindingKind::armed_at_exit);
}

TEST_CASE("arrivals that leave a barrier count in one phase, and later phases do without them", "[proof]") {
  const List goes_on = {phase_arrive(0), wait(0, 0), phase_arrive(0), wait(0, 1)};
  REQUIRE(by_both(program({goes_on, {phase_drop(0)}}, 0, {2})) == FindingKind::none);
  REQUIRE(by_both(program({goes_on, {phase_arrive(0)}}, 0, {2})) == FindingKind::deadlock);
  REQUIRE(by_both(program({goes_on, {phase_drop(0), phase_arrive(0)}}, 0, {2})) != FindingKind::none);
  REQUIRE(by_both(program({goes_on, {phase_drop(0), wait(0, 0)}}, 0, {2})) == FindingKind::recycled_barrier);
}

TEST_CASE("an arrival that is never the last has one behind it in every schedule", "[proof]") {
  REQUIRE(by_both(program({{phase_arrive_never_last(0), phase_arrive(0)}, {wait(0, 0)}}, 0, {2})) == FindingKind::none);
  REQUIRE(by_both(program({{phase_arrive(0), phase_arrive_never_last(0)}, {wait(0, 0)}}, 0, {2})) ==
          FindingKind::arrival_count);
  REQUIRE(by_both(program({{phase_arrive_never_last(0), wait(0, 0)}, {phase_arrive(0)}}, 0, {2})) ==
          FindingKind::arrival_count);
  REQUIRE(by_both(program({{phase_arrive_never_last(0), sync(0, 2), wait(0, 0)}, {sync(0, 2), phase_arrive(0)}}, 1,
                          {2})) == FindingKind::none);
}

TEST_CASE("bytes that come without a copy complete a phase", "[proof]") {
  const List reader = {expect(0, 16), phase_arrive(0), wait(0, 0), read(1)};
  REQUIRE(by_both(program({reader, {expect(0, -16)}}, 0, {1})) == FindingKind::none);
  REQUIRE(by_both(program({reader, {expect(0, -8)}}, 0, {1})) == FindingKind::deadlock);
  REQUIRE(by_both(program({{phase_arrive(0, 16), wait(0, 0)}, {expect(0, -16), expect(0, -16)}}, 0, {1})) !=
          FindingKind::none);
}

TEST_CASE("a bulk copy completes at any time before a wait for it", "[proof]") {
  const List loads = {bulk_load(0, 16, 1), phase_arrive(0, 16)};
  REQUIRE(by_both(program({loads, {wait(0, 0), read(1)}}, 0, {1})) == FindingKind::none);
  REQUIRE(by_both(program({loads, {read(1), wait(0, 0)}}, 0, {1})) == FindingKind::unfinished_copy);
  REQUIRE(by_both(program({loads, {read(2)}}, 0, {1})) == FindingKind::armed_at_exit);
  REQUIRE(by_both(program({{bulk_load(0, 16, 1), phase_arrive(0)}, {wait(0, 0), read(1)}}, 0, {1})) !=
          FindingKind::none);
  REQUIRE(by_both(program({{bulk_load(0, 16, 1), phase_arrive(0, 32)}, {wait(0, 0)}}, 0, {1})) ==
          FindingKind::deadlock);
}

TEST_CASE("bytes are expected before the arrival that could complete the phase without them", "[proof]") {
  REQUIRE(by_both(program({{expect(0, 16), bulk_load(0, 16, 1), phase_arrive(0)}, {wait(0, 0), read(1)}}, 0, {1})) ==
          FindingKind::none);
  REQUIRE(by_both(program({{expect(0, 16), bulk_load(0, 16, 1)}, {phase_arrive(0), wait(0, 0), read(1)}}, 0, {1})) ==
          FindingKind::recycled_barrier);
}

TEST_CASE("a cp.async is complete for agents that waited for it or for its barrier", "[proof]") {
  REQUIRE(by_both(program({{copy_async(1), await_async(), read(1)}})) == FindingKind::none);
  REQUIRE(by_both(program({{copy_async(1), read(1), await_async()}})) == FindingKind::unfinished_copy);
  REQUIRE(by_both(program({{copy_async(1)}})) == FindingKind::armed_at_exit);
  const List user = {wait(0, 0), read(1)};
  REQUIRE(by_both(program({{copy_async(1), arrive_when_copied(0)}, user}, 0, {1})) == FindingKind::none);
  REQUIRE(by_both(program({{arrive_when_copied(0), copy_async(1), await_async()}, user}, 0, {1})) ==
          FindingKind::unfinished_copy);
  REQUIRE(by_both(program({{copy_async(1), phase_arrive(0), await_async()}, user}, 0, {1})) ==
          FindingKind::unfinished_copy);
}

TEST_CASE("groups of cp.async are complete in their order", "[proof]") {
  const auto kind = [](const List& list) { return by_both(program({list}, 0, {}, 4)); };
  const List two = {copy_async(1), commit_async(), copy_async(2), commit_async()};
  const auto then = [&](const List& rest) {
    List list = two;
    list.insert(list.end(), rest.begin(), rest.end());
    return kind(list);
  };
  REQUIRE(then({await_async_groups(1), read(1), await_async_groups(0), read(2)}) == FindingKind::none);
  REQUIRE(then({await_async_groups(1), read(2), await_async_groups(0)}) == FindingKind::unfinished_copy);
  REQUIRE(then({await_async_groups(2), read(1), await_async_groups(0)}) == FindingKind::unfinished_copy);
  REQUIRE(then({await_async_groups(1)}) == FindingKind::armed_at_exit);
  // An empty group is a group; a copy behind the last commit is in none that a wait for groups takes.
  REQUIRE(then({commit_async(), await_async_groups(1), read(2)}) == FindingKind::none);
  REQUIRE(kind({copy_async(1), await_async_groups(0), read(1), await_async()}) == FindingKind::unfinished_copy);
  REQUIRE(kind({copy_async(1), await_async(), read(1)}) == FindingKind::none);
}

TEST_CASE("a bulk store reads its slot until its group is waited for, the last ones apart", "[proof]") {
  REQUIRE(by_both(program({{bulk_store(1), commit(), await_groups(0), write(1)}})) == FindingKind::none);
  REQUIRE(by_both(program({{bulk_store(1), commit(), await_groups(1), write(1), await_groups(0)}})) ==
          FindingKind::unfinished_copy);
  REQUIRE(by_both(program({{bulk_store(1), commit(), bulk_store(2), commit(), await_groups(1), write(1),
                            await_groups(0)}})) == FindingKind::none);
  REQUIRE(by_both(program({{bulk_store(1), commit()}})) == FindingKind::armed_at_exit);
  REQUIRE(by_both(program({{bulk_store(1), await_groups(0)}})) == FindingKind::armed_at_exit);
}

TEST_CASE("tensor cores read a tile until its group is waited for", "[proof][reads]") {
  // Another agent overwrites cell 1 when it is released.
  const auto released_after = [](const List& reads) {
    List reader = reads;
    reader.insert(reader.end(), {arrive(0, 2), await_reads(0)});
    return by_both(program({reader, {sync(0, 2), write(1)}}, 1));
  };
  REQUIRE(released_after({read_async(1), commit_reads(), await_reads(0)}) == FindingKind::none);
  REQUIRE(released_after({read_async(1), commit_reads()}) == FindingKind::unfinished_copy);
  REQUIRE(released_after({read_async(1), commit_reads(), await_reads(1)}) == FindingKind::unfinished_copy);
  // The newer of two groups may be in flight.
  REQUIRE(released_after({read_async(1), commit_reads(), read_async(2), commit_reads(), await_reads(1)}) ==
          FindingKind::none);
  REQUIRE(released_after({read_async(2), commit_reads(), read_async(1), commit_reads(), await_reads(1)}) ==
          FindingKind::unfinished_copy);
  // An empty group counts; reads that are not committed are in none.
  REQUIRE(released_after({read_async(1), commit_reads(), commit_reads(), await_reads(1)}) == FindingKind::none);
  REQUIRE(released_after({read_async(1), await_reads(0), commit_reads()}) == FindingKind::unfinished_copy);
  // Groups of bulk stores are others.
  REQUIRE(released_after({read_async(1), commit_reads(), commit(), await_reads(1)}) == FindingKind::unfinished_copy);
  REQUIRE(released_after({read_async(1), commit_reads(), await_groups(0)}) == FindingKind::unfinished_copy);

  REQUIRE(by_both(program({{read_async(1), commit_reads(), write(1), await_reads(0)}})) ==
          FindingKind::unfinished_copy);
  REQUIRE(by_both(program({{read_async(1), commit_reads(), read(1), read_async(1), commit_reads(), await_reads(0)}})) ==
          FindingKind::none);
  REQUIRE(by_both(program({{read_async(1), commit_reads()}})) == FindingKind::armed_at_exit);
  REQUIRE(by_both(program({{read_async(1), await_reads(0)}})) == FindingKind::armed_at_exit);
  // A bulk load overwrites what is read. A wait of another agent is none.
  const auto loaded_after = [](const List& reads) {
    return by_both(program({reads, {sync(0, 2), bulk_load(0, 16, 1), phase_arrive(0, 16), wait(0, 0)}}, 1, {1}));
  };
  REQUIRE(loaded_after({read_async(1), commit_reads(), await_reads(0), arrive(0, 2)}) == FindingKind::none);
  REQUIRE(loaded_after({read_async(1), commit_reads(), arrive(0, 2), await_reads(0)}) == FindingKind::unfinished_copy);
  REQUIRE(by_both(program(
              {{read_async(1), commit_reads(), sync(0, 2), await_reads(0)}, {sync(0, 2), await_reads(0), write(1)}},
              1)) == FindingKind::unfinished_copy);
}

TEST_CASE("tensor cores read what threads wrote behind a proxy fence", "[proof][reads]") {
  const List reads = {read_async(1), commit_reads(), await_reads(0)};
  const auto ordered = [&](const List& before, const List& between) {
    List reader = {sync(0, 2)};
    reader.insert(reader.end(), between.begin(), between.end());
    reader.insert(reader.end(), reads.begin(), reads.end());
    List writer = before;
    writer.push_back(arrive(0, 2));
    return by_both(program({writer, reader}, 1));
  };
  REQUIRE(ordered({write(1)}, {}) == FindingKind::missing_fence);
  REQUIRE(ordered({write(1), fence()}, {}) == FindingKind::none);
  REQUIRE(ordered({write(1)}, {fence()}) == FindingKind::none);
  REQUIRE(ordered({fence(), write(1)}, {}) == FindingKind::missing_fence);
  REQUIRE(ordered({copy_async(1), await_async()}, {}) == FindingKind::missing_fence);
  REQUIRE(ordered({copy_async(1), await_async()}, {fence()}) == FindingKind::none);
  REQUIRE(ordered({read(1)}, {}) == FindingKind::none);
  // An access behind the reads does not hide the one before.
  REQUIRE(by_both(program({{fence(), write(1), read_async(1), commit_reads(), read(1), await_reads(0)}})) ==
          FindingKind::missing_fence);
  // A bulk load writes as they read; a thread's write after them needs no fence.
  REQUIRE(by_both(program(
              {{bulk_load(0, 16, 1), phase_arrive(0, 16), wait(0, 0), read_async(1), commit_reads(), await_reads(0)}},
              0, {1})) == FindingKind::none);
  REQUIRE(by_both(program({{read_async(1), commit_reads(), await_reads(0), write(1)}})) == FindingKind::none);
}

TEST_CASE("what a bulk store reads is free before what it writes is there", "[proof]") {
  const auto stores = [](Operation wait, Operation then) {
    return by_both(program({{bulk_store(1, 2), commit(), wait, then}}));
  };
  REQUIRE(stores(await_group_reads(0), write(1)) == FindingKind::none);
  REQUIRE(stores(await_group_reads(0), read(2)) == FindingKind::unfinished_copy);
  REQUIRE(stores(await_group_reads(0), write(2)) == FindingKind::unfinished_copy);
  REQUIRE(stores(await_groups(0), read(2)) == FindingKind::none);
  REQUIRE(stores(await_group_reads(1), write(1)) == FindingKind::unfinished_copy);
  // Of the two groups only the older one is there.
  REQUIRE(by_both(program({{bulk_store(1, 2), commit(), bulk_store(1, 3), commit(), await_groups(1), read(2),
                            await_group_reads(0)}},
                          0, {}, 3)) == FindingKind::none);
  REQUIRE(by_both(program({{bulk_store(1, 2), commit(), bulk_store(1, 3), commit(), await_groups(1), read(3),
                            await_group_reads(0)}},
                          0, {}, 3)) == FindingKind::unfinished_copy);
  // Another agent, and a bulk load of what was stored.
  const List stored = {bulk_store(1, 2), commit(), await_group_reads(0), sync(0, 2)};
  REQUIRE(by_both(program({stored, {sync(0, 2), read(2)}}, 1)) == FindingKind::unfinished_copy);
  const auto loads = [](Operation wait) {
    return by_both(
        program({{bulk_store(1, 2), commit(), wait, bulk_load(0, 16, 3, 2), phase_arrive(0, 16), small::wait(0, 0)}}, 0,
                {1}, 3));
  };
  REQUIRE(loads(await_group_reads(0)) == FindingKind::unfinished_copy);
  REQUIRE(loads(await_groups(0)) == FindingKind::none);
  // At the kernel's end it is enough that the slots have been read.
  REQUIRE(by_both(program({{bulk_store(1, 2), commit(), await_group_reads(0)}})) == FindingKind::none);
}

TEST_CASE("a bulk copy reads global memory until it completes, and needs a fence after ordinary writes", "[proof]") {
  const auto loads = [](List before, List after) {
    before.insert(before.end(), {bulk_load(0, 16, 1, 2), phase_arrive(0, 16)});
    before.insert(before.end(), after.begin(), after.end());
    return by_both(program({before}, 0, {1}));
  };
  REQUIRE(loads({}, {wait(0, 0), write(2)}) == FindingKind::none);
  REQUIRE(loads({}, {write(2), wait(0, 0)}) == FindingKind::unfinished_copy);
  REQUIRE(loads({}, {read(2), wait(0, 0)}) == FindingKind::none);
  REQUIRE(loads({write(2)}, {wait(0, 0)}) == FindingKind::missing_fence);
  REQUIRE(loads({write(2), fence()}, {wait(0, 0)}) == FindingKind::none);
  REQUIRE(loads({read(2)}, {wait(0, 0)}) == FindingKind::none);
}

TEST_CASE("a bulk copy after cp.async needs a fence behind a wait for them", "[proof]") {
  const auto stores = [](List before) {
    before.insert(before.end(), {bulk_store(1), commit(), await_groups(0)});
    return by_both(program({before}, 0, {1}));
  };
  REQUIRE(stores({copy_async(1), await_async(), fence()}) == FindingKind::none);
  REQUIRE(stores({copy_async(1), await_async()}) == FindingKind::missing_fence);
  REQUIRE(stores({copy_async(1), fence(), await_async()}) == FindingKind::missing_fence);
  REQUIRE(stores({copy_async(1), commit_async(), await_async_groups(0), fence()}) == FindingKind::none);
  REQUIRE(stores({copy_async(1), commit_async(), fence(), await_async_groups(0)}) == FindingKind::missing_fence);
  REQUIRE(stores({copy_async(1), arrive_when_copied(0), wait(0, 0)}) == FindingKind::missing_fence);
  REQUIRE(stores({copy_async(1), arrive_when_copied(0), fence(), wait(0, 0)}) == FindingKind::missing_fence);
  REQUIRE(stores({copy_async(1), arrive_when_copied(0), wait(0, 0), fence()}) == FindingKind::none);
  const auto loads = [](List copies) {
    copies.push_back(sync(0, 2));
    return by_both(program({copies, {sync(0, 2), bulk_load(0, 16, 1), phase_arrive(0, 16), wait(0, 0)}}, 1, {1}));
  };
  REQUIRE(loads({copy_async(1), await_async(), fence()}) == FindingKind::none);
  REQUIRE(loads({copy_async(1), await_async()}) == FindingKind::missing_fence);
  // The agent that waits for the barrier fences.
  const auto stores_behind = [](List waiting) {
    waiting.insert(waiting.end(), {bulk_store(1), commit(), await_groups(0)});
    return by_both(program({{copy_async(1), arrive_when_copied(0)}, waiting}, 0, {1}));
  };
  REQUIRE(stores_behind({wait(0, 0), fence()}) == FindingKind::none);
  REQUIRE(stores_behind({fence(), wait(0, 0)}) == FindingKind::missing_fence);
}

TEST_CASE("a fence is between the write of a slot and a bulk copy of it, by any agent", "[proof]") {
  const List stores = {sync(0, 2), bulk_store(1), commit(), await_groups(0)};
  REQUIRE(by_both(program({{write(1), fence(), sync(0, 2)}, stores}, 1)) == FindingKind::none);
  REQUIRE(by_both(program({{write(1), sync(0, 2)}, stores}, 1)) == FindingKind::missing_fence);
  REQUIRE(by_both(program({{fence(), write(1), sync(0, 2)}, stores}, 1)) == FindingKind::missing_fence);
  REQUIRE(by_both(program({{write(1), sync(0, 2), fence()}, stores}, 1)) == FindingKind::missing_fence);
  const auto fences_itself = [](List before) {
    before.insert(before.end(), {bulk_store(1), commit(), await_groups(0)});
    return by_both(program({{write(1), sync(0, 2)}, before}, 1));
  };
  REQUIRE(fences_itself({sync(0, 2), fence()}) == FindingKind::none);
  REQUIRE(fences_itself({fence(), sync(0, 2)}) == FindingKind::missing_fence);
  // A third agent's fence serves where it is ordered after the write and before the copy.
  const auto others_fence = [](List third) {
    return by_both(program({{write(1), sync(0, 2)}, third, {sync(1, 2), bulk_store(1), commit(), await_groups(0)}}, 2));
  };
  REQUIRE(others_fence({sync(0, 2), fence(), sync(1, 2)}) == FindingKind::none);
  REQUIRE(others_fence({fence(), sync(0, 2), sync(1, 2)}) == FindingKind::missing_fence);
  REQUIRE(others_fence({sync(0, 2), sync(1, 2), fence()}) == FindingKind::missing_fence);
  const List writes = {write(1), sync(0, 3)};
  REQUIRE(by_both(program({writes, {fence(), sync(0, 3)}, {sync(0, 3), bulk_store(1), commit(), await_groups(0)}},
                          1)) == FindingKind::missing_fence);
}

TEST_CASE("a fence is between the opening of a barrier and bulk copies, by any agent", "[proof]") {
  const auto loads = [](List opens, List copies) {
    copies.insert(copies.end(), {bulk_load(0, 16, 1), phase_arrive(0, 16), wait(0, 0)});
    return by_both(program({std::move(opens), std::move(copies)}, 1, {0}));
  };
  REQUIRE(loads({phase_open(0, 1), fence(), sync(0, 2)}, {sync(0, 2)}) == FindingKind::none);
  REQUIRE(loads({phase_open(0, 1), sync(0, 2)}, {sync(0, 2), fence()}) == FindingKind::none);
  REQUIRE(loads({phase_open(0, 1), sync(0, 2)}, {fence(), sync(0, 2)}) == FindingKind::missing_fence);
}

TEST_CASE("a fence is between the read of a slot and a bulk copy that writes it, not one that reads it", "[proof]") {
  const List loads = {sync(0, 2), bulk_load(0, 16, 1), phase_arrive(0, 16)};
  REQUIRE(by_both(program({{read(1), arrive(0, 2), wait(0, 0)}, loads}, 1, {1})) == FindingKind::missing_fence);
  REQUIRE(by_both(program({{fence(), read(1), arrive(0, 2), wait(0, 0)}, loads}, 1, {1})) ==
          FindingKind::missing_fence);
  REQUIRE(by_both(program({{read(1), fence(), arrive(0, 2), wait(0, 0)}, loads}, 1, {1})) == FindingKind::none);
  REQUIRE(by_both(program({{read(1), sync(0, 2)}, {sync(0, 2), bulk_store(1), commit(), await_groups(0)}}, 1)) ==
          FindingKind::none);
}

TEST_CASE("a phase barrier is used only while it is open", "[proof]") {
  REQUIRE(by_both(program({{phase_open(0, 1), sync(0, 2), wait(0, 0)}, {sync(0, 2), phase_arrive(0)}}, 1, {0})) ==
          FindingKind::none);
  REQUIRE(by_both(program({{phase_open(0, 1), wait(0, 0)}, {phase_arrive(0)}}, 0, {0})) ==
          FindingKind::barrier_not_open);
  REQUIRE(by_both(program({{wait(0, 0), phase_close(0)}, {phase_arrive(0)}}, 0, {1})) == FindingKind::none);
  REQUIRE(by_both(program({{phase_close(0)}, {phase_arrive(0)}}, 0, {1})) != FindingKind::none);
  // One that still waits, whichever the run showed first.
  REQUIRE(by_both(program({{phase_arrive(0)}, {wait(0, 0)}, {wait(0, 0), phase_close(0)}}, 0, {1})) ==
          FindingKind::barrier_not_open);
}

TEST_CASE("arrivals do not tell that a phase with copies is complete", "[proof]") {
  const List twice = {bulk_load(0, 16, 1), phase_arrive(0, 16), phase_arrive(0), wait(0, 1), read(1)};
  REQUIRE(by_both(program({twice}, 0, {1})) == FindingKind::recycled_barrier);
  const List waits = {bulk_load(0, 16, 1), phase_arrive(0, 16), wait(0, 0), phase_arrive(0), wait(0, 1), read(1)};
  REQUIRE(by_both(program({waits}, 0, {1})) == FindingKind::none);
}

// Found by programs at random, where one judge was wrong.

TEST_CASE("an agent whose arrival completes a phase need not wait to arrive again", "[proof][found]") {
  REQUIRE(by_both(program({{wait(0, 0), read(1), phase_arrive(1), phase_arrive(1)}, {write(1), phase_arrive(0)}}, 0,
                          {1, 1})) == FindingKind::none);
}

TEST_CASE("an agent that opens a barrier again knows that it is closed", "[proof][found]") {
  REQUIRE(by_both(program({{phase_close(0)}, {phase_open(0, 1)}}, 0, {1})) == FindingKind::barrier_not_open);
  REQUIRE(by_both(program({{phase_close(0), sync(0, 2)}, {sync(0, 2), phase_open(0, 1)}}, 1, {1})) ==
          FindingKind::none);
}

TEST_CASE("a barrier is not closed while a copy that completes on it may be in flight", "[proof][found]") {
  REQUIRE(by_both(program({{wait(0, 0), expect(0, 16), bulk_load(0, 16, 1), phase_close(0)}, {phase_arrive(0)}}, 0,
                          {1})) == FindingKind::armed_at_exit);
}

TEST_CASE("bytes of one copy may arrive in parts, so that all of them have to be expected before the arrival",
          "[proof][found]") {
  REQUIRE(by_both(program(
              {{expect(0, 16), wait(0, 0), read(1)}, {bulk_load(0, 16, 1), bulk_load(0, 16, 2), phase_arrive(0, 16)}},
              0, {1})) == FindingKind::recycled_barrier);
}

TEST_CASE("a search finds a schedule of the fewest moves", "[proof]") {
  // The race is between the last accesses, and one barrier of the two is on the way there.
  const Program late = program({{sync(0, 2), write(1)}, {sync(0, 2), write(1)}, {sync(1, 1), read(2)}}, 2);
  Search search(late);
  REQUIRE(search.judge().kind == FindingKind::race);
  REQUIRE(search.schedule().size() == 2);
  for (const Event& event : search.schedule()) {
    REQUIRE(event.operation == 0);
    REQUIRE(event.agent != 2);
  }
}

TEST_CASE("agents with the same list are one to the search", "[proof]") {
  // Three agents in one of three places each (before, at and behind the barrier): as many states as ways to count them.
  const auto meets = [](int agents) {
    std::vector<List> lists(static_cast<std::size_t>(agents), List{sync(0, agents)});
    const Program all = program(lists, 1);
    Search search(all);
    REQUIRE(search.judge().kind == FindingKind::none);
    return search.states();
  };
  for (const int agents : {2, 3, 7}) {
    REQUIRE(meets(agents) == static_cast<std::size_t>(agents) + 1);
  }
}

TEST_CASE("a search that has not ended within its limit refuses", "[proof]") {
  const Program pipe = pipeline({2, 6, 2, false, 0});
  REQUIRE(dma::proof::detail::Search(pipe).judge().kind == FindingKind::none);
  REQUIRE(dma::proof::detail::Search(pipe, {.states = 10}).judge().kind == FindingKind::too_many_states);
}

TEST_CASE("pipelines of every kind are proved as lists of operations", "[proof]") {
  for (int stages = 1; stages <= 3; ++stages) {
    for (int tiles = 0; tiles <= 3 * stages + 1; ++tiles) {
      for (const bool is_named : {false, true}) {
        for (const int engine : {0, 1, 2, 3}) {
          if (!is_named || engine != 2) {
            INFO(stages << " stages, " << tiles << " tiles, " << (is_named ? "named" : "phase") << ", engine "
                        << engine);
            REQUIRE(by_both(pipeline({stages, tiles, 2, is_named, engine})) == FindingKind::none);
          }
        }
      }
    }
  }
}
