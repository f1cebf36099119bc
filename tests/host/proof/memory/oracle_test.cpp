#include "host/proof/memory/oracle.hpp"
#include "host/proof/memory/small_programs.hpp"

#include <dma/proof/clocks/clock_judge.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/record/program.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace memory_tests;

struct Compared {
  long programs = 0;
  long executions = 0;
  long races = 0;
  long narrow_races = 0;
  long narrow_fences = 0;
  long deadlocks = 0;
  long doubles = 0;
  long differences = 0;
  std::string first = {};  ///< the first program that differs
};

void compare(const SmallProgram& program, Compared& compared) {
  Answer expected = oracle::Oracle(program).answer();
  Answer found = explored(program);
  if (program.sums >= 0) {  // orders of sums are not told apart
    for (Answer* answer : {&expected, &found}) {
      answer->keys.erase(std::unique(answer->keys.begin(), answer->keys.end()), answer->keys.end());
    }
  }
  ++compared.programs;
  compared.executions += static_cast<long>(expected.keys.size());
  compared.races += expected.has_race ? 1 : 0;
  compared.narrow_races += expected.has_narrow_race ? 1 : 0;
  compared.narrow_fences += expected.has_narrow_fence ? 1 : 0;
  compared.deadlocks += expected.has_deadlock ? 1 : 0;
  const bool has_double = std::adjacent_find(found.keys.begin(), found.keys.end()) != found.keys.end();
  compared.doubles += has_double ? 1 : 0;
  if (has_double || expected.keys != found.keys || expected.has_race != found.has_race ||
      expected.has_narrow_race != found.has_narrow_race || expected.has_narrow_fence != found.has_narrow_fence ||
      expected.has_deadlock != found.has_deadlock) {
    ++compared.differences;
    if (compared.first.empty()) {
      std::ostringstream text;
      text << program << "oracle: " << expected.keys.size() << " executions, race " << expected.has_race << ", narrow "
           << expected.has_narrow_race << ", fence " << expected.has_narrow_fence << ", deadlock "
           << expected.has_deadlock << "; explorer: " << found.keys.size() << ", " << found.has_race << ", "
           << found.has_narrow_race << ", " << found.has_narrow_fence << ", " << found.has_deadlock;
      compared.first = text.str();
    }
  }
}

/// Programs of any operations and of the shape of litmus tests, and of every four one with polls.
Compared compare_random(std::uint64_t seed, long count) {
  Random random(seed);
  Compared compared;
  for (long i = 0; i < count; ++i) {
    compare(i % 4 == 3 ? random.program_with_polls() : random.program(), compared);
  }
  return compared;
}

// ---- the clocks ----

namespace judges = dma::proof::detail;

dma::Scope scope_of(Scope scope) {
  return scope == Scope::cta       ? dma::Scope::cta
         : scope == Scope::cluster ? dma::Scope::cluster
         : scope == Scope::gpu     ? dma::Scope::gpu
                                   : dma::Scope::system;
}
constexpr int most_ctas = 4;  ///< of a small program
/// An execution as a program for the clocks, whose cells are the locations. Clusters have as many places for CTAs as
/// there are CTAs.
judges::Program program_of(const SmallProgram& program, const Execution& execution) {
  const Graph& graph = execution.graph();
  judges::Program result;
  result.cluster = most_ctas;
  // Two cells of each location: the bits of one byte, and all others.
  result.atomics = program.locations;
  result.cells = 2 * program.locations;
  for (int cell = 0; cell < result.cells; cell += 2) {
    result.cell_sets.insert(result.cell_sets.end(), {{cell, cell + 1}, {cell}, {cell + 1}});
  }
  std::vector<std::size_t> places(static_cast<std::size_t>(graph.size()));
  for (int thread = 0; thread < graph.threads(); ++thread) {
    judges::Agent agent;
    const Place& place = program.threads[static_cast<std::size_t>(thread)].place;
    agent.cta = place.cluster * result.cluster + place.cta;
    result.ctas = std::max(result.ctas, agent.cta + 1);
    for (const int event : graph.of_thread(thread)) {
      const Event& it = graph.at(event);
      if (it.is_write() && it.is_change) {
        agent.operations.back().write = it.is_strong() ? event + 1 : 0;
        continue;
      }
      const auto number_of = [&](int write) { return write < 0 || !graph.at(write).is_strong() ? 0 : write + 1; };
      const Order order = it.is_change ? it.change_order : it.order;
      judges::Operation operation{.kind = judges::OperationKind::access};
      if (it.is_access()) {
        const int part = it.bits == ~Value{0} ? 0 : it.bits == 0xff ? 1 : 2;
        (it.is_write() || it.writes ? operation.writes : operation.reads) = 3 * it.location + part + 1;
      }
      if (it.is_strong()) {
        operation.kind = it.is_access() ? judges::OperationKind::atomic : judges::OperationKind::fence_threads;
        operation.barrier = it.is_access() ? it.location : 0;
        operation.count =
            (acquires(order) ? 1 : 0) + (releases(order) ? 2 : 0) + (it.is_unread ? judges::Operation::unread : 0);
        operation.scope = scope_of(it.scope);
        operation.from = it.is_read() ? number_of(it.from) : -1;
        operation.write = it.is_write() ? event + 1 : 0;
      }
      places[static_cast<std::size_t>(event)] = agent.operations.size();
      agent.operations.push_back(operation);
    }
    result.agents.push_back(std::move(agent));
  }
  for (const auto& [first, last] : execution.causality().fence_order()) {
    result.ordered_fences.push_back(
        {static_cast<std::size_t>(graph.at(first).thread), places[static_cast<std::size_t>(first)],
         static_cast<std::size_t>(graph.at(last).thread), places[static_cast<std::size_t>(last)]});
  }
  return result;
}
/// Whether causality order leaves an ordinary access and another one of its location unordered, or base causality order
/// does. What observes an ordinary write is left out: the clocks do not know of it.
bool has_race(const Execution& execution, bool by_base_alone) {
  const Graph& graph = execution.graph();
  const auto are_ordered = [&](int one, int other) {
    const Causality& causality = execution.causality();
    return by_base_alone ? causality.precedes(one, other) : causality.causes(one, other);
  };
  for (int a = 0; a < graph.size(); ++a) {
    for (int b = 0; b < a; ++b) {
      const Event& one = graph.at(a);
      const Event& other = graph.at(b);
      const bool conflict = one.is_access() && other.is_access() && one.location == other.location &&
                            one.thread != other.thread && (one.is_write() || other.is_write()) &&
                            (!one.is_strong() || !other.is_strong()) && (one.bits & other.bits) != 0;
      if (conflict && !are_ordered(a, b) && !are_ordered(b, a)) {
        return true;
      }
    }
  }
  return false;
}
/// Whether program order, who reads whom and the order of the fences have a circle. A read that makes no acquire
/// pattern may be in one: the clocks leave an order of fences out there.
bool has_circle(const Execution& execution) {
  const Graph& graph = execution.graph();
  std::vector<bool> done(static_cast<std::size_t>(graph.size()));
  const auto is_done = [&](int event) { return event < 0 || done[static_cast<std::size_t>(event)]; };
  int count = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (int event = 0; event < graph.size(); ++event) {
      bool can = !is_done(event) && is_done(graph.previous(event)) && is_done(graph.at(event).from);
      for (const auto& [first, last] : execution.causality().fence_order()) {
        can = can && (last != event || is_done(first));
      }
      if (can) {
        done[static_cast<std::size_t>(event)] = moved = true;
        ++count;
      }
    }
  }
  return count != graph.size();
}
/// Whether a barrier makes a program one that the clocks have otherwise.
bool is_for_clocks(const SmallProgram& program) {
  for (const SmallThread& thread : program.threads) {
    for (const SmallOperation& it : thread.operations) {
      if (it.what == Do::arrive) {
        return false;
      }
    }
  }
  return program.resident == 0;
}

}  // namespace

TEST_CASE("the clocks find the races that the axioms have, in each execution", "[memory]") {
  Random random(5);
  long races = 0;
  long executions = 0;
  long observed = 0;
  for (int i = 0; i < 4000; ++i) {
    const SmallProgram program = i % 4 == 0 ? random.program_with_a_reset() : random.program();
    if (!is_for_clocks(program)) {
      continue;
    }
    Explored explored(program);
    explored.visit = [&](const Execution& execution) {
      const judges::Program for_clocks = program_of(program, execution);
      const judges::Finding finding = judges::ClockJudge(for_clocks).judge();
      const bool expected = has_race(execution, false);
      INFO(program);
      const bool is_found = finding.kind == dma::proof::FindingKind::race;
      REQUIRE((is_found || finding.kind == dma::proof::FindingKind::none));
      REQUIRE((is_found == expected || (is_found && has_circle(execution))));
      ++executions;
      races += expected ? 1 : 0;
      observed += !expected && has_race(execution, true) ? 1 : 0;
    };
    static_cast<void>(explore(explored, {.stops_at_fault = false}));
  }
  CHECK(executions > 5000);
  CHECK(races > 500);
  CHECK(observed > 500);  // Where who reads whom orders an ordinary access behind an atomic one.
}

TEST_CASE("random programs have the executions that an oracle enumerates, each once", "[memory]") {
  const Compared compared = compare_random(1, 20000);
  INFO(compared.first);
  CHECK(compared.differences == 0);
  CHECK(compared.doubles == 0);
  CHECK(compared.executions > 100000);
  CHECK(compared.races > 1000);
  CHECK(compared.narrow_races > 1000);
  CHECK(compared.narrow_fences > 100);
  CHECK(compared.deadlocks > 1000);
}

TEST_CASE("random programs with sums have the outcomes that an oracle enumerates", "[memory]") {
  Random random(2);
  Compared compared;
  for (int i = 0; i < 3000; ++i) {
    compare(random.program_with_sums(), compared);
  }
  INFO(compared.first);
  CHECK(compared.differences == 0);
}

TEST_CASE("a fence is too narrow beside a reduction that is", "[memory]") {
  for (const Scope scope : {Scope::cta, Scope::gpu}) {
    SmallProgram program;
    program.threads = {{{0, 0, 0},
                        {{.what = Do::fence, .order = Order::acq_rel, .scope = scope},
                         {.what = Do::reduce, .value = 1, .order = Order::release, .scope = Scope::cta},
                         {.what = Do::add, .value = 2, .order = Order::relaxed}}},
                       {{1, 1, 0}, {{.what = Do::read, .order = Order::acquire}}}};
    CHECK(explored(program).has_narrow_fence == (scope == Scope::cta));
    CHECK(oracle::Oracle(program).answer().has_narrow_fence == (scope == Scope::cta));
  }
}

TEST_CASE("a million random programs have the executions that an oracle enumerates", "[.memory-million]") {
  Compared all;
  for (std::uint64_t seed = 100; seed < 200; ++seed) {
    const Compared some = compare_random(seed, 10000);
    all.programs += some.programs;
    all.executions += some.executions;
    all.races += some.races;
    all.narrow_races += some.narrow_races;
    all.narrow_fences += some.narrow_fences;
    all.deadlocks += some.deadlocks;
    INFO("seed " << seed << '\n' << some.first);
    CHECK(some.differences == 0);
    CHECK(some.doubles == 0);
  }
  std::cout << all.programs << " programs, " << all.executions << " executions, " << all.races << " with a race, "
            << all.narrow_races << " with one by scope alone, " << all.narrow_fences << " with a narrow fence, "
            << all.deadlocks << " with a deadlock\n";
}
