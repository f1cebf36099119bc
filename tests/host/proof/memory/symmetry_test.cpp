#include "host/proof/memory/right_programs.hpp"
#include "host/proof/memory/small_programs.hpp"
#include "host/proof/memory/threads.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <iomanip>
#include <iostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

// Executions that differ by an exchange of equal threads: what is left of them has the outcomes and the faults of all.

namespace {

using namespace memory_tests;
using enum Order;

Options options_of(const Threads& program, bool is_symmetric) {
  Options options{.executions = 1000000, .stops_at_fault = false};
  if (is_symmetric) {
    options.classes.assign(program.bodies.size(), 0);
  }
  return options;
}
std::set<FaultKind> kinds_of(const Result& result) {
  std::set<FaultKind> kinds;
  for (const Fault& fault : result.faults) {
    kinds.insert(fault.kind);
  }
  return kinds;
}

/// What threads gave out, whichever thread it was, and the last values.
///
/// @param outs  of a thread, or of the threads of one of so many CTAs
std::set<std::vector<std::vector<Value>>> unnamed(const Threads& program, std::size_t outs, std::size_t ctas = 0) {
  const std::size_t units = ctas == 0 ? program.bodies.size() : ctas;
  std::set<std::vector<std::vector<Value>>> all;
  for (const std::vector<Value>& outcome : program.outcomes) {
    std::vector<std::vector<Value>> parts;
    for (std::size_t unit = 0; unit < units; ++unit) {
      const auto first = outcome.begin() + static_cast<std::ptrdiff_t>(unit * outs);
      parts.emplace_back(first, first + static_cast<std::ptrdiff_t>(outs));
    }
    std::sort(parts.begin(), parts.end());
    parts.emplace_back(outcome.begin() + static_cast<std::ptrdiff_t>(units * outs), outcome.end());
    all.insert(parts);
  }
  return all;
}

struct EqualProgram {
  std::string name;
  Threads program;
  long executions;  ///< with symmetry
};

std::vector<EqualProgram> programs(std::size_t threads) {
  const std::string of = " of " + std::to_string(threads);
  return {
      {"last CTA" + of, last_cta(threads, sc), 1},
      {"last CTA without fences" + of, last_cta(threads, relaxed), 1},
      {"grid barrier" + of, grid_barrier(threads), 1},
      {"spin lock" + of, spin_lock(threads), 1},
      {"spin lock with a relaxed unlock" + of, spin_lock(threads, acquire, relaxed), 0},
      {"lock by compares" + of, compare_lock(threads), 1},
      {"ticket lock" + of, ticket_lock(threads), 1},
      {"poll of two words, the first is set" + of, poll_of_two_words(threads, 0), 1},
      {"poll of two words, the second is set" + of, poll_of_two_words(threads, 1), 1},
      {"poll of two words that nothing sets" + of, poll_of_two_words(threads, 3), 1},
  };
}

/// Random operations that all threads do.
Threads random_equal_threads(Random& random, std::size_t& outs) {
  const std::vector<SmallOperation> operations = random.equal_operations();
  outs = static_cast<std::size_t>(std::count_if(operations.begin(), operations.end(), [](const SmallOperation& it) {
    return it.what != Do::write && it.what != Do::fence;
  }));
  return Threads(3, [operations](Thread& t) {
    for (const SmallOperation& it : operations) {
      switch (it.what) {
        case Do::read:
          t.out(t.load(it.location, it.order, it.scope));
          break;
        case Do::write:
          t.store(it.location, it.value, it.order, it.scope);
          break;
        case Do::fence:
          t.fence(it.order, it.scope);
          break;
        case Do::swap:
          t.out(t.change(it.location, compare_and_swap, it.value, it.order, it.scope, it.compared));
          break;
        case Do::exchange:
          t.out(t.change(it.location, exchange, it.value, it.order, it.scope));
          break;
        default:
          t.out(t.add(it.location, it.value, it.order, it.scope));
      }
    }
  });
}

void run(Thread& t, const std::vector<SmallOperation>& operations, bool is_one) {
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const SmallOperation& it = operations[i];
    if (it.what == Do::write && it.value % 2 == 0) {
      t.write_by(is_one ? i + 1 : 0, it.location, it.value);
    } else if (it.what == Do::write) {
      t.store(it.location, it.value, it.order, it.scope);
    } else if (it.what == Do::read) {
      t.out(t.load(it.location, it.order, it.scope));
    } else if (it.what == Do::fence) {
      t.fence(it.order, it.scope);
    } else {
      t.out(t.add(it.location, it.value, it.order, it.scope));
    }
  }
}
/// Two lanes that do the same, and another thread: where two of the lanes' ordinary stores that are one instruction
/// do not race, by a formula of its own.
struct Stores : Threads {
  using Threads::Threads;

  bool has_race = false;

  std::string judge(const Execution& execution) override {
    const Graph& graph = execution.graph();
    for (int a = 0; a < graph.size(); ++a) {
      for (int b = 0; b < a; ++b) {
        const Event& one = graph.at(a);
        const Event& two = graph.at(b);
        const bool conflict = one.is_access() && two.is_access() && one.location == two.location &&
                              one.thread != two.thread && (one.is_write() || two.is_write()) &&
                              (!one.is_strong() || !two.is_strong());
        const bool are_one =
            one.thread < 2 && two.thread < 2 && one.operation == two.operation && !one.is_strong() && !two.is_strong();
        has_race = has_race ||
                   (conflict && !are_one && !execution.causality().causes(a, b) && !execution.causality().causes(b, a));
      }
    }
    return Threads::judge(execution);
  }
};
Stores stores_of(const std::vector<SmallOperation>& lanes, const std::vector<SmallOperation>& other, bool is_one) {
  const Body lane = [=](Thread& t) { run(t, lanes, is_one); };
  return Stores({lane, lane, [=](Thread& t) { run(t, other, false); }});
}

}  // namespace

TEST_CASE("executions that differ by names of threads are one, and the verdict is that of all", "[memory]") {
  for (const std::size_t threads : {2U, 3U, 4U}) {
    for (EqualProgram& it : programs(threads)) {
      INFO(it.name);
      const Result all = explore(it.program, options_of(it.program, false));
      const auto outcomes = unnamed(it.program, 0);
      const Result some = explore(it.program, options_of(it.program, true));
      CHECK(kinds_of(all) == kinds_of(some));
      CHECK(outcomes == unnamed(it.program, 0));
      CHECK(some.executions < all.executions);
      CHECK((it.executions == 0 || some.executions == it.executions));
    }
  }
}

TEST_CASE("threads of two classes are exchanged in their class", "[memory]") {
  const Body adds_one = [](Thread& t) { t.out(t.add(flag, 1)); };
  const Body adds_ten = [](Thread& t) { t.out(t.add(flag, 10)); };
  Threads program({adds_one, adds_ten, adds_one, adds_ten});
  const Result result = explore(program, {.classes = {0, 1, 0, 1}});
  CHECK(result.executions == 6);  // the places of two among four
  CHECK(result.claim() ==
        "all 6 executions of 4 CTAs, 4 resident, under PTX without load buffering, up to an exchange of equal threads");
  CHECK(explore(program, {.classes = {0, -1, 0, -1}}).executions == 12);
  CHECK(explore(program, {.classes = {-1, -1, -1, -1}}).executions == 24);
}

TEST_CASE("equal CTAs are exchanged with all their threads", "[memory]") {
  Random random(4);
  long all_executions = 0;
  long some_executions = 0;
  for (int i = 0; i < 200; ++i) {
    std::size_t outs = 0;
    std::size_t other_outs = 0;
    const Body one = random_equal_threads(random, outs).bodies.front();
    const Body other = random_equal_threads(random, other_outs).bodies.front();
    Threads program({one, other, one, other}, {{0, 0, 0}, {0, 0, 0}, {1, 1, 0}, {1, 1, 0}});
    Options options = options_of(program, false);
    const Result all = explore(program, options);
    const auto outcomes = unnamed(program, outs + other_outs, 2);
    options.classes = {0, 0, 0, 0};
    options.units = {0, 0, 1, 1};
    const Result some = explore(program, options);
    REQUIRE(kinds_of(all) == kinds_of(some));
    REQUIRE(outcomes == unnamed(program, outs + other_outs, 2));
    all_executions += all.executions;
    some_executions += some.executions;
  }
  CHECK(some_executions < all_executions);
}

TEST_CASE("equal threads of too few resident CTAs are found to wait", "[memory]") {
  for (const int resident : {2, 3}) {
    Threads program = grid_barrier(3);
    Options options = options_of(program, true);
    options.resident = resident;
    CHECK(kinds_of(explore(program, options)) ==
          (resident == 2 ? std::set{FaultKind::deadlock} : std::set<FaultKind>{}));
  }
}

TEST_CASE("CTAs of two classes that begin in any order are found to wait as all are", "[memory]") {
  Random random(6);
  long deadlocks = 0;
  for (int i = 0; i < 100; ++i) {
    std::size_t outs = 0;
    std::size_t other_outs = 0;
    const Body waits = [](Thread& t) { t.await(0, is_at_least(1)); };
    const Body one = random_equal_threads(random, outs).bodies.front();
    const Body other = i % 3 == 0 ? waits : random_equal_threads(random, other_outs).bodies.front();
    Threads program({one, other, one, other});
    Options options{.resident = 1 + i % 2, .any_order = true, .executions = 1000000, .stops_at_fault = false};
    const Result all = explore(program, options);
    const auto faults = kinds_of(all);
    options.classes = {0, 1, 0, 1};
    const Result some = explore(program, options);
    REQUIRE(kinds_of(some) == faults);
    REQUIRE(some.executions <= all.executions);
    deadlocks += faults.count(FaultKind::deadlock) != 0 ? 1 : 0;
  }
  CHECK(deadlocks > 20);
  CHECK(deadlocks < 80);
}

TEST_CASE("random equal threads have the same outcomes with symmetry", "[memory]") {
  Random random(3);
  long all_executions = 0;
  long some_executions = 0;
  for (int i = 0; i < 3000; ++i) {
    std::size_t outs = 0;
    Threads program = random_equal_threads(random, outs);
    const Result all = explore(program, options_of(program, false));
    const auto outcomes = unnamed(program, outs);
    const Result some = explore(program, options_of(program, true));
    REQUIRE(kinds_of(all) == kinds_of(some));
    REQUIRE(outcomes == unnamed(program, outs));
    all_executions += all.executions;
    some_executions += some.executions;
  }
  CHECK(some_executions < all_executions);
}

TEST_CASE("threads are seen to be equal, or all executions are explored", "[memory]") {
  const auto checked = [](const Threads& program) {
    Options options = options_of(program, true);
    options.checks_classes = true;
    return options;
  };
  for (const std::size_t threads : {2U, 3U, 4U}) {
    for (EqualProgram& it : programs(threads)) {
      INFO(it.name);
      const Result all = explore(it.program, options_of(it.program, false));
      const auto outcomes = unnamed(it.program, 0);
      const Result some = explore(it.program, checked(it.program));
      CHECK(kinds_of(all) == kinds_of(some));
      CHECK(outcomes == unnamed(it.program, 0));
      CHECK(some.is_complete);
      // Where each has a word of its own, they do not do the same.
      const bool are_equal = it.name.rfind("last", 0) != 0 && it.name.rfind("grid", 0) != 0;
      CHECK((are_equal ? it.executions == 0 || some.executions == it.executions : some.equal.empty()));
    }
  }
  Threads tickets(128, [](Thread& t) { t.out(t.add(flag, 1)); });
  const Result result = explore(tickets, checked(tickets));
  CHECK(result.is_proved());
  CHECK(result.executions == 1);

  // One of them does something else, with one ticket.
  for (const int number : {0, 1, 2}) {
    Threads program(3, [=](Thread& t) {
      if (t.add(flag, 1) == 1 && t.number() == number) {
        t.await(data, is(1));
      }
    });
    const Result found = explore(program, checked(program));
    CHECK(kinds_of(found) == std::set{FaultKind::deadlock});
    // Or with one value behind it, which the first execution does not have.
    Threads later(3, [=](Thread& t) {
      const Value ticket = t.add(flag, 1);
      const Value value = t.load(data);
      if (ticket == 0) {
        t.store(data, 1);
      } else if (ticket == 1 && value == 0 && t.number() == number) {
        t.await(2, is(1));
      }
    });
    CHECK(kinds_of(explore(later, checked(later))) == std::set{FaultKind::deadlock});
    Threads first(3, [=](Thread& t) { t.add(t.number() == number ? data : flag, 1); });
    const Result unequal = explore(first, checked(first));
    CHECK(unequal.executions == 2);
    CHECK(unequal.claim() ==
          "all 2 executions of 3 CTAs, 3 resident, under PTX without load buffering, whose threads are not equal");
  }

  Random random(8);
  for (int i = 0; i < 100; ++i) {
    std::size_t outs = 0;
    Threads program = random_equal_threads(random, outs);
    const Result all = explore(program, options_of(program, false));
    const auto outcomes = unnamed(program, outs);
    const Result some = explore(program, checked(program));
    REQUIRE(kinds_of(all) == kinds_of(some));
    REQUIRE(outcomes == unnamed(program, outs));
    REQUIRE(some.equal == "threads");
  }
}

TEST_CASE("the stores of one instruction have one order, and the outcomes of all", "[memory]") {
  Threads warp(32, [](Thread& t) { t.write_by(1, data, 5); });
  const Result result = explore(warp, {.executions = 10});
  CHECK(result.is_proved());
  CHECK(result.executions == 1);
  Threads two_values(3, [](Thread& t) { t.write_by(1, data, value_of(t.number() / 2)); });
  CHECK(kinds_of(explore(two_values)) == std::set{FaultKind::race});

  // The first lane stores before the second one's store, and reads anew what is stored last of all.
  const Thread::Wanted any = [](Value) { return true; };
  Threads late({[=](Thread& t) {
                  t.out(t.await(0, any));
                  t.write_by(1, data, 5);
                },
                [](Thread& t) { t.write_by(1, data, 5); },
                [](Thread& t) {
                  t.await(2, is(1));
                  t.store(0, 1);
                },
                [](Thread& t) { t.store(2, 1); }});
  CHECK(explore(late).executions == 2);

  Random random(7);
  long all_executions = 0;
  long some_executions = 0;
  long races = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::vector<SmallOperation> lanes = random.equal_operations();
    const std::vector<SmallOperation> other = random.equal_operations();
    Stores all = stores_of(lanes, other, false);
    Stores some = stores_of(lanes, other, true);
    const Options options{.executions = 1000000, .stops_at_fault = false, .narrow_fences = false};
    const Result found = explore(some, options);
    all_executions += explore(all, options).executions;
    some_executions += found.executions;
    const std::set outcomes(all.outcomes.begin(), all.outcomes.end());
    REQUIRE((all.has_race || outcomes == std::set(some.outcomes.begin(), some.outcomes.end())));
    REQUIRE(all.has_race == (kinds_of(found).count(FaultKind::race) != 0));
    races += all.has_race ? 1 : 0;
  }
  CHECK(some_executions < all_executions);
  CHECK(races > 200);
  CHECK(races < 900);
}

TEST_CASE("the table of symmetry", "[.memory-table]") {
  for (const std::size_t threads : {4U, 6U, 8U, 16U}) {
    for (EqualProgram& it : programs(threads)) {
      Options options = options_of(it.program, true);
      options.seconds = 10;
      const Result some = explore(it.program, options);
      std::cout << std::left << std::setw(42) << it.name << std::right << std::setw(6) << some.executions
                << " executions " << std::setw(7) << some.blocked << " blocked " << std::setw(10) << std::fixed
                << std::setprecision(3) << 1000 * some.seconds << " ms" << (some.is_complete ? "" : ", not all")
                << '\n';
    }
  }
}
