#include "host/proof/judges.hpp"
#include "host/proof/random_programs.hpp"
#include "host/proof/small_programs.hpp"

#include <dma/proof/search/search.hpp>
#include <dma/proof/search/segments.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

using dma::proof::detail::Event;
using dma::proof::detail::Finding;
using dma::proof::detail::Search;
using namespace small;

namespace {

/// Whether each agent of a schedule makes its steps one after another, and ends each copy once, after its beginning.
bool is_in_order(const Program& program, const std::vector<Event>& schedule) {
  std::vector<std::size_t> next(program.agents.size(), 0);
  std::vector<std::pair<int, int>> ended;
  for (const Event& event : schedule) {
    const auto& operations = program.agents[static_cast<std::size_t>(event.agent)].operations;
    std::size_t& at = next[static_cast<std::size_t>(event.agent)];
    const std::pair copy(event.agent, event.operation);
    if (event.is_end_of_copy) {
      if (static_cast<std::size_t>(event.operation) >= at || std::count(ended.begin(), ended.end(), copy) != 0) {
        return false;
      }
      ended.push_back(copy);
      continue;
    }
    while (at < operations.size() && !dma::proof::detail::SegmentedList::is_step(operations[at].kind)) {
      ++at;
    }
    if (at++ != static_cast<std::size_t>(event.operation)) {
      return false;
    }
  }
  return true;
}
/// How many steps an agent makes in a schedule.
std::size_t steps_of(const std::vector<Event>& schedule, int agent) {
  return static_cast<std::size_t>(std::count_if(schedule.begin(), schedule.end(), [&](const Event& event) {
    return event.agent == agent && !event.is_end_of_copy;
  }));
}
/// How many states a correct program has.
std::size_t states_of(const Program& program) {
  Search search(program);
  REQUIRE(search.judge().kind == FindingKind::none);
  return search.states();
}
/// Agents that are not equal, each with one step that waits for no other: as many states as sets of them.
Program independent(int agents) {
  std::vector<List> lists;
  for (int agent = 0; agent < agents; ++agent) {
    lists.push_back({sync(agent, 1)});
  }
  return program(lists, agents);
}

}  // namespace

TEST_CASE("cells are told apart by a search, however many there are", "[proof][search]") {
  const std::vector<int> cells{1, 2, 32, 33, 63, 64, 65, 66, 97, 128, 129, 130};
  for (const int one : cells) {
    for (const int other : cells) {
      REQUIRE(by_search(program({{write(one)}, {write(other)}}, 0, {}, 130)) ==
              (one == other ? FindingKind::race : FindingKind::none));
    }
  }
}

TEST_CASE("a search counts each state once", "[proof][search]") {
  REQUIRE(states_of(independent(7)) == 128);
  REQUIRE(states_of(independent(10)) == 1024);
  // Each of two equal agents has begun, arrives later or has arrived; then one waits after the other.
  const List arrives = {arrive_when_copied(0), wait(0, 0)};
  REQUIRE(states_of(program({arrives, arrives}, 0, {2})) == 6 + 2);
}

TEST_CASE("a search ends at its limits, and not before", "[proof][search]") {
  const Program program = independent(13);
  const std::size_t states = states_of(program);
  REQUIRE(states == 8192);
  REQUIRE(Search(program, {.states = states}).judge().kind == FindingKind::none);
  REQUIRE(Search(program, {.states = states - 1}).judge().kind == FindingKind::too_many_states);
  REQUIRE(Search(program, {.seconds = 0}).judge().kind == FindingKind::too_many_states);
  const Program longer = small::program({List(9000, sync(0, 1))}, 1);
  REQUIRE(by_search(longer) == FindingKind::too_many_states);
}

TEST_CASE("an agent may have many copies, some of them in flight at one time", "[proof][search]") {
  List loads;
  for (int tile = 0; tile < 70; ++tile) {
    loads.insert(loads.end(), {bulk_load(0, 16, 1), phase_arrive(0, 16), wait(0, tile % 2)});
  }
  REQUIRE(by_both(program({loads}, 0, {1})) == FindingKind::none);
  // Another agent reads what the older one of two copies moves, or the newer one.
  for (const int cell : {1, 2, 3}) {
    const List two = {bulk_load(0, 16, 1), bulk_load(1, 16, 2), phase_arrive(0, 16), phase_arrive(1, 16),
                      arrive(0, 2),        wait(0, 0),          wait(1, 0)};
    REQUIRE(by_both(program({two, {sync(0, 2), read(cell)}}, 1, {1, 1}, 3)) ==
            (cell == 3 ? FindingKind::none : FindingKind::unfinished_copy));
  }
}

TEST_CASE("a cp.async is in flight for others until a wait that they know of", "[proof][search]") {
  // The agent waits for it in the segment in which another one reads.
  const List copies = {copy_async(1), arrive_when_copied(0), arrive(0, 2), await_async()};
  REQUIRE(by_both(program({copies, {sync(0, 2), read(1), wait(0, 0)}}, 1, {1})) == FindingKind::unfinished_copy);
  REQUIRE(by_both(program({copies, {sync(0, 2), wait(0, 0), read(1)}}, 1, {1})) == FindingKind::none);
  // Of two waits the first one counts.
  const List twice = {copy_async(1), arrive_when_copied(0), await_async(), arrive(0, 2), await_async()};
  REQUIRE(by_both(program({twice, {sync(0, 2), read(1), wait(0, 0)}}, 1, {1})) == FindingKind::none);
}

TEST_CASE("a copy that has ended leaves its phase open", "[proof][search]") {
  REQUIRE(by_both(program({{expect(0, 16), bulk_load(0, 16, 1)}}, 0, {1})) == FindingKind::armed_at_exit);
}

TEST_CASE("a search names the operation and the agent of a fault", "[proof][search]") {
  const Program late = program({{sync(0, 1), write(1), sync(0, 1)}, {sync(1, 1), sync(1, 1), write(1)}}, 2);
  const Finding race = Search(late).judge();
  REQUIRE(race.kind == FindingKind::race);
  REQUIRE(race.operation == (race.agent == 0 ? 1 : 2));
  // Of equal agents the one that cannot continue is the one that made fewer steps.
  for (const int agents : {2, 3, 4}) {
    std::vector<List> lists(static_cast<std::size_t>(agents), List{sync(0, agents), arrive(1, 1 + agents)});
    lists.push_back({sync(1, 1 + agents), sync(2, 2)});
    const Program all = program(lists, 3);
    Search search(all);
    const Finding finding = search.judge();
    REQUIRE(finding.kind == FindingKind::deadlock);
    REQUIRE((finding.agent == agents && finding.operation == 1));
    REQUIRE(is_in_order(all, search.schedule()));
  }
}

TEST_CASE("copies of two agents conflict, whichever of them a search starts first", "[proof][search]") {
  const List copies = {copy_async(1), await_async()};
  const List stores = {bulk_store(2, 1), commit(), await_groups(0)};
  const auto loads = [](int barrier, int cell, int from) {
    return List{bulk_load(barrier, 16, cell, from), phase_arrive(barrier, 16), wait(barrier, 0)};
  };
  const auto kind = [](const List& one, const List& other) { return by_both(program({one, other}, 0, {1, 1}, 4)); };
  REQUIRE(kind(copies, copies) == FindingKind::unfinished_copy);
  REQUIRE(kind(copies, stores) == FindingKind::unfinished_copy);
  REQUIRE(kind(stores, {copy_async(3), await_async()}) == FindingKind::none);
  REQUIRE(kind(loads(0, 1, 2), loads(1, 1, 3)) == FindingKind::unfinished_copy);
  REQUIRE(kind(loads(0, 1, 2), loads(1, 2, 3)) == FindingKind::unfinished_copy);
  REQUIRE(kind(loads(0, 1, 2), loads(1, 3, 1)) == FindingKind::unfinished_copy);
  REQUIRE(kind(loads(0, 1, 2), loads(1, 3, 2)) == FindingKind::none);
  REQUIRE(kind(loads(0, 1, 2), {read(2)}) == FindingKind::none);
  REQUIRE(kind(loads(0, 1, 2), {write(2)}) != FindingKind::none);
  REQUIRE(by_search(program({loads(0, 1, 2), {write(2)}}, 0, {1})) == FindingKind::race);
}

TEST_CASE("a search ends its schedule with the bulk copy that lacks its fence", "[proof][search]") {
  for (const bool is_load : {false, true}) {
    const List copies = is_load ? List{write(1), sync(0, 1), bulk_load(0, 16, 1), phase_arrive(0, 16), wait(0, 0)}
                                : List{write(1), sync(0, 1), bulk_store(1), commit(), await_groups(0)};
    const Program program = small::program({copies}, 1, {1});
    Search search(program);
    const Finding finding = search.judge();
    REQUIRE((finding.kind == FindingKind::missing_fence && finding.agent == 0 && finding.operation == 2));
    // A store begins between two steps.
    REQUIRE(search.schedule().size() == (is_load ? 2 : 1));
    REQUIRE(search.schedule().back().operation == (is_load ? 2 : 1));
  }
}

TEST_CASE("of equal agents a search names the one that its schedule moves", "[proof][search]") {
  const List writes = {write(1), phase_arrive(0), sync(0, 3)};
  const List stores = {sync(0, 3), wait(0, 0), bulk_store(1), commit(), await_groups(0)};
  const Program all = program({stores, writes, stores}, 1, {1});
  Search search(all);
  const Finding finding = search.judge();
  REQUIRE((finding.kind == FindingKind::missing_fence && finding.operation == 2));
  REQUIRE(is_in_order(all, search.schedule()));
  REQUIRE(search.schedule().back().agent == finding.agent);
  REQUIRE(steps_of(search.schedule(), finding.agent) == 2);
}

TEST_CASE("a schedule of a search is one that its agents can make, up to the fault", "[proof][search]") {
  int found = 0;
  int ends = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Program program = random_program(seed);
    // An agent more that does what another one does.
    program.agents.push_back(program.agents[seed % program.agents.size()]);
    Search search(program);
    const Finding finding = search.judge();
    INFO("seed " << seed << '\n' << text_of(program));
    if (finding.kind == FindingKind::none || finding.kind == FindingKind::too_many_states) {
      REQUIRE(search.schedule().empty());
      continue;
    }
    ++found;
    const auto& schedule = search.schedule();
    REQUIRE(is_in_order(program, schedule));
    ends += std::any_of(schedule.begin(), schedule.end(), [](const Event& event) { return event.is_end_of_copy; });
    if (finding.kind == FindingKind::deadlock) {
      // The agent has made the steps before the one at which it waits: that one too, at a named barrier.
      const auto& operations = program.agents[static_cast<std::size_t>(finding.agent)].operations;
      const auto before = static_cast<std::size_t>(std::count_if(
          operations.begin(), operations.begin() + finding.operation,
          [](const Operation& operation) { return dma::proof::detail::SegmentedList::is_step(operation.kind); }));
      const bool is_named = operations[static_cast<std::size_t>(finding.operation)].kind == OperationKind::sync;
      REQUIRE(steps_of(schedule, finding.agent) == before + (is_named ? 1 : 0));
    }
  }
  REQUIRE(found > 1000);
  REQUIRE(ends > 50);
}
