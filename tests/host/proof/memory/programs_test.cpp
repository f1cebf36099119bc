#include "host/proof/memory/right_programs.hpp"
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

namespace {

using namespace memory_tests;
using enum Order;

/// A program with a mistake, and what has to be found in it.
struct WrongProgram {
  std::string name;
  Threads program;
  FaultKind fault;
  int resident = 0;
};

Threads two_locks(int first, int second) {
  const auto take = [](int one, int other) {
    return [=](Thread& t) {
      t.lock(one);
      t.lock(other);
      t.unlock(other);
      t.unlock(one);
    };
  };
  return Threads({take(0, 1), take(first, second)});
}

/// Two CTAs that meet through words in one of them and wait for a third.
Threads waits_for_a_later_cta() {
  return Threads(3, [](Thread& t) {
    if (t.number() == 2) {
      t.store(flag, 1, release);
    } else {
      t.await(flag, is(1));
    }
  });
}

Threads store_buffering_guard(Order fence) {
  const auto side = [=](int me) {
    return [=](Thread& t) {
      t.store(me, 1);
      if (fence != relaxed) {
        t.fence(fence);
      }
      if (t.load(1 - me) == 0) {
        t.write(2, value_of(me));
      }
    };
  };
  return Threads({side(0), side(1)});
}

/// Load buffering with fences of the CTA between CTAs: PTX lets both read 1.
Threads load_buffering(Scope scope) {
  const auto side = [=](int me) {
    return [=](Thread& t) {
      t.out(t.load(me));
      t.fence(acq_rel, scope);
      t.store(1 - me, 1);
    };
  };
  return Threads({side(0), side(1)});
}

/// An ordinary store of a word's first byte, and a flag in its second one, for which another thread polls the word: the
/// flag orders the last of its reads behind the store, and none before that.
Threads part_and_flag() {
  return Threads({[](Thread& t) {
                    t.write_part(flag, 0xff, 1);
                    t.add(flag, 0x100, release);
                  },
                  [](Thread& t) { t.await(flag, [](Value value) { return (value & 0x100) != 0; }); }});
}

std::vector<WrongProgram> wrong_programs() {
  const auto race = FaultKind::race;
  const auto deadlock = FaultKind::deadlock;
  return {
      {"poll of a word that an ordinary store changes in part", part_and_flag(), race},
      {"flag without a release", flag_and_data(relaxed, acquire), race},
      {"flag without an acquire", flag_and_data(release, relaxed), race},
      {"flag at the scope of a CTA", flag_and_data(release, acquire, false, Scope::cta), FaultKind::narrow_race},
      {"flag with fences of a CTA", flag_and_data(relaxed, relaxed, true, Scope::gpu, Scope::cta), race},
      {"flag with fences of a CTA, said", flag_and_data(relaxed, relaxed, true, Scope::gpu, Scope::cta),
       FaultKind::narrow_fence},
      {"last CTA without fences", last_cta(3, relaxed), race},
      {"last CTA with fences of a CTA", last_cta(3, sc, relaxed, Scope::cta), race},
      {"look-back with a relaxed store", look_back(3, relaxed, acquire), race},
      {"look-back with a relaxed load", look_back(3, release, relaxed), race},
      {"look-back from the last CTA on, 2 of 4 resident", look_back(4, release, acquire, true), deadlock, 2},
      {"grid barrier with a relaxed arrival", grid_barrier(3, 1, relaxed), race},
      {"grid barrier with a relaxed wait", grid_barrier(3, 1, release, relaxed), race},
      {"grid barrier, 2 of 3 resident", grid_barrier(3), deadlock, 2},
      {"spin lock with a relaxed lock", spin_lock(2, relaxed), race},
      {"spin lock with a relaxed unlock", spin_lock(2, acquire, relaxed), race},
      {"ticket lock with a relaxed wait", ticket_lock(2, relaxed), race},
      {"ticket lock with a relaxed leave", ticket_lock(2, acquire, relaxed), race},
      {"split-K semaphore with a relaxed wait", split_k(3, relaxed), race},
      {"split-K semaphore with a relaxed leave", split_k(3, acquire, relaxed), race},
      {"queue with a relaxed put", queue(2, relaxed), race},
      {"queue with a relaxed take", queue(2, release, relaxed), race},
      {"two locks in opposite order", two_locks(1, 0), deadlock},
      {"test-and-set in two steps",
       Threads(2,
               [](Thread& t) {
                 t.await(flag, is(0));
                 t.store(flag, 1);
                 t.write(data, t.read(data) + 1);
                 t.store(flag, 0, release);
               }),
       race},
      {"lost signal",
       Threads({[](Thread& t) { t.add(flag, 1); }, [](Thread& t) { t.await(flag, is_not(t.load(flag))); }}), deadlock},
      {"deadlock where a counter is seen at 2 of 4",
       Threads(4,
               [](Thread& t) {
                 t.add(flag, 1);
                 if (t.number() == 3 && t.load(flag) == 2) {
                   t.await(data, is(1));
                 }
               }),
       deadlock},
      {"race where a flag is seen 0, then 1",
       Threads({[](Thread& t) {
                  t.store(flag, 1);
                  t.write(data, 1);
                },
                [](Thread& t) {
                  const Value before = t.load(flag);
                  if (before == 0 && t.load(flag) == 1) {
                    t.read(data);
                  }
                }}),
       race},
      {"a relaxed overwrite of a released flag",
       Threads({[](Thread& t) {
                  t.write(data, 1);
                  t.store(flag, 1, release);
                },
                [](Thread& t) { t.store(flag, 2); },
                [](Thread& t) {
                  t.await(flag, is(2));
                  t.read(data);
                }}),
       race},
      {"store buffering", store_buffering_guard(relaxed), race},
      {"store buffering with fence.acq_rel", store_buffering_guard(acq_rel), race},
      {"Peterson with one fence", peterson(false), race},
      {"wait for a later CTA, 2 of 3 resident", waits_for_a_later_cta(), deadlock, 2},
      {"load buffering with fences of a CTA", load_buffering(Scope::cta), FaultKind::narrow_fence},
      {"an atomic addition at the scope of a CTA", Threads(2, [](Thread& t) { t.add(flag, 1, relaxed, Scope::cta); }),
       FaultKind::narrow_race},
      {"an assertion", Threads(2, [](Thread& t) { t.check(t.add(flag, 1) == 0, "second"); }), FaultKind::failed},
  };
}

Result all_of(Threads& program, int resident) {
  return explore(program, {.resident = resident, .stops_at_fault = false});
}

bool has(const Result& result, FaultKind kind) {
  return std::any_of(result.faults.begin(), result.faults.end(), [&](const Fault& it) { return it.kind == kind; });
}

}  // namespace

TEST_CASE("programs that order themselves by memory are proved, each execution once", "[memory]") {
  for (RightProgram& it : right_programs()) {
    const Result result = all_of(it.program, it.resident);
    INFO(it.name << ": " << result.claim() << (result.faults.empty() ? "" : ", " + result.faults.front().message));
    CHECK(result.is_proved());
    CHECK(result.executions == it.executions);
  }
}

TEST_CASE("a program with a mistake is found, and its execution is there", "[memory]") {
  for (WrongProgram& it : wrong_programs()) {
    const Result result = all_of(it.program, it.resident);
    INFO(it.name << ": " << result.claim());
    CHECK(result.is_complete);
    CHECK(has(result, it.fault));
    for (const Fault& fault : result.faults) {
      CHECK_FALSE(fault.record.operations.empty());
    }
    Threads& program = it.program;
    const Result first = explore(program, {.resident = it.resident});
    CHECK(first.faults.size() >= 1);
    CHECK((first.visits == result.visits || first.limit == "a fault"));
  }
}

TEST_CASE("what is right in place of a mistake is proved", "[memory]") {
  for (Threads program : {two_locks(0, 1), store_buffering_guard(sc), peterson(true), waits_for_a_later_cta(),
                          load_buffering(Scope::gpu)}) {
    CHECK(all_of(program, 0).is_proved());
  }
}

TEST_CASE("a poll of two words waits for either", "[memory]") {
  for (const int set : {0, 1}) {
    Threads program = poll_of_two_words(3, set);
    const Result result = all_of(program, 0);
    CHECK(result.is_proved());
    CHECK(result.executions == 6);
  }
  Threads program = poll_of_two_words(3, 3);
  CHECK(all_of(program, 0).faults.front().kind == FaultKind::deadlock);
}

TEST_CASE("a wait for a CTA that never begins says so", "[memory]") {
  Threads program = waits_for_a_later_cta();
  const Result result = explore(program, {.resident = 2});
  REQUIRE(result.faults.size() == 1);
  CHECK(result.faults.front().message ==
        "thread 0 polls location 0; thread 1 polls location 0; thread 2: its CTA 2 has not begun, since only 2 are "
        "resident; launch it as a cooperative kernel");
  CHECK(all_of(program, 2).claim() == "all 1 execution of 3 CTAs, 2 resident, under PTX without load buffering");
}

TEST_CASE("a CTA that would do nothing does not begin where there is no room", "[memory]") {
  Threads program({[](Thread& t) { t.await(flag, is(1)); }, [](Thread&) {}});
  CHECK(all_of(program, 1).executions == 1);
}

TEST_CASE("CTAs that begin in any order do not find a lower-numbered one running", "[memory]") {
  // The semaphore is handed on by number: any two of three may begin first. With tickets by the order of begin.
  Threads by_number = split_k(3);
  CHECK(explore(by_number, {.resident = 2}).is_proved());
  const Result stuck = explore(by_number, {.resident = 2, .any_order = true});
  REQUIRE(stuck.faults.size() == 1);
  CHECK(stuck.faults.front().kind == FaultKind::deadlock);
  CHECK(stuck.faults.front().message.find("number CTAs by a counter as they begin, or launch it as a cooperative") !=
        std::string::npos);
  CHECK(explore(by_number, {.resident = 3, .any_order = true}).is_proved());

  for (const int resident : {1, 2, 3}) {
    Threads by_ticket = ticketed_split_k(4);
    const Result result = explore(by_ticket, {.resident = resident, .any_order = true});
    INFO(resident);
    CHECK(result.is_proved());
    CHECK(result.executions == 24);  // each order of the CTAs
    CHECK(result.claim() == "all 24 executions of 4 CTAs, " + std::to_string(resident) +
                                " resident, begun in any order, under PTX without load buffering");
  }
}

TEST_CASE("an execution says which write each read saw", "[memory]") {
  Threads program = flag_and_data(Order::release, Order::relaxed);
  const Result result = explore(program);
  REQUIRE(result.faults.size() == 1);
  const Fault& fault = result.faults.front();
  CHECK(fault.kind == FaultKind::race);
  CHECK((fault.first.thread == 0 && fault.first.operation == 0));
  CHECK((fault.second.thread == 1 && fault.second.operation == 1));
  const auto poll = std::find_if(fault.record.operations.begin(), fault.record.operations.end(),
                                 [](const Done& it) { return it.name.thread == 1 && it.name.operation == 0; });
  REQUIRE(poll != fault.record.operations.end());
  CHECK((poll->from.thread == 0 && poll->from.operation == 1 && poll->read == 1));
}

TEST_CASE("an exploration ends at its bound, and says so", "[memory]") {
  Threads program = spin_lock(4);
  const Result some = explore(program, {.executions = 10});
  CHECK(some.executions == 10);
  CHECK_FALSE(some.is_complete);
  CHECK_FALSE(some.is_proved());
  CHECK(some.claim() == "the first 10 of more executions of 4 CTAs, 4 resident, under PTX without load buffering");
  CHECK(explore(program, {.executions = 25}).claim() ==
        "all 24 executions of 4 CTAs, 4 resident, under PTX without load buffering");
  CHECK(explore(program, {.visits = 20}).limit == "visits");
  CHECK(explore(program, {.seconds = 0}).limit == "seconds");
  CHECK(explore(program, {.events = 5}).limit == "events of an execution");
}

TEST_CASE("sums that are read among each other are ordered", "[memory]") {
  Threads program(3, [](Thread& t) {
    t.sum(flag, 1);
    t.out(t.load(flag));
  });
  Threads ordered(3, [](Thread& t) {
    t.add(flag, 1);
    t.out(t.load(flag));
  });
  const Result result = all_of(program, 0);
  CHECK(result.executions == all_of(ordered, 0).executions);
  CHECK(std::set(program.outcomes.begin(), program.outcomes.end()) ==
        std::set(ordered.outcomes.begin(), ordered.outcomes.end()));
}

TEST_CASE("sums are added up before they are read behind a barrier", "[memory]") {
  Threads program(4, [](Thread& t) {
    t.sum(2, value_of(t.number() + 1));
    if (t.add(flag, 1, Order::acq_rel) == 3) {
      t.check(t.load(2) == 10, "wrong sum");
    }
  });
  const Result result = all_of(program, 0);
  CHECK(result.is_proved());
  CHECK(result.executions == 24);
}

TEST_CASE("an ordinary write before a release of its word does not race with who acquires", "[memory]") {
  for (const bool is_told : {false, true}) {
    Threads program({[=](Thread& t) { t.await(flag, is(2), Order::acquire, Scope::gpu, is_told); },
                     [](Thread& t) {
                       t.write(flag, 1);
                       t.store(flag, 2, Order::release);
                     }});
    const Result result = all_of(program, 0);
    CHECK(result.is_proved());
    CHECK(result.executions == 1);
  }
}

TEST_CASE("a sum that is taken back is not counted", "[memory]") {
  Threads program({[](Thread& t) {
                     const Value before = t.load(data);
                     t.out(before);
                     if (before == 0) {
                       t.sum(flag, 1);
                     }
                   },
                   [](Thread& t) {
                     t.sum(flag, 2);
                     t.store(data, 1);
                   }});
  CHECK(all_of(program, 0).executions == 2);
  REQUIRE(program.outcomes.size() == 2);
  for (const std::vector<Value>& outcome : program.outcomes) {
    CHECK(outcome[1] == (outcome[0] == 0 ? 3 : 2));
  }
}

TEST_CASE("a sum may be in some executions alone", "[memory]") {
  constexpr int counter = 7;  // a location that the others do not come to
  Threads program({[](Thread& t) {
                     if (t.load(data) == 1) {
                       t.sum(counter, 1);
                     }
                   },
                   [](Thread& t) {
                     t.store(data, 1);
                     t.store(data, 2);
                     t.store(data, 3);
                   }});
  CHECK(all_of(program, 0).executions == 4);
  CHECK(program.outcomes.size() == 4);
}

TEST_CASE("a reduction is no acquire pattern", "[memory]") {
  const auto waits = [](bool is_unread) {
    return Threads({[](Thread& t) {
                      t.write(data, 1);
                      t.add(flag, 1, Order::release);
                    },
                    [=](Thread& t) {
                      if (is_unread) {
                        t.sum(flag, 1);
                        t.fence(Order::acq_rel);
                        t.read(data);
                      } else if (t.add(flag, 1) == 1) {
                        t.fence(Order::acq_rel);
                        t.read(data);
                      }
                    }});
  };
  Threads with_result = waits(false);
  Threads without = waits(true);
  CHECK(all_of(with_result, 0).is_proved());
  CHECK(has(all_of(without, 0), FaultKind::race));
}

TEST_CASE("a replay has each operation once, behind what it needs", "[memory]") {
  struct InOrder : Threads {
    using Threads::Threads;
    int wrong = 0;
    std::string judge(const Execution& execution) override {
      const Graph& graph = execution.graph();
      std::vector<int> done(bodies.size());
      for (const OperationName& name : Replay(graph).in_order()) {
        int& mine = done[static_cast<std::size_t>(name.thread)];
        wrong += name.operation != mine++ ? 1 : 0;
        for (const int event : graph.of_thread(name.thread)) {
          const Event& it = graph.at(event);
          if (it.operation == name.operation && it.is_read() && it.from >= 0) {
            const Event& write = graph.at(it.from);
            wrong += write.operation >= done[static_cast<std::size_t>(write.thread)] ? 1 : 0;
          }
        }
      }
      for (std::size_t thread = 0; thread < bodies.size(); ++thread) {
        wrong += done[thread] != graph.operations(static_cast<int>(thread)) ? 1 : 0;
      }
      return {};
    }
  };
  InOrder program(std::vector<Body>(3, [](Thread& t) {
    t.lock(flag);
    t.write(data, t.read(data) + t.add(2, 1));
    t.unlock(flag);
    t.out(t.load(3));
    t.store(3, 1);
  }));
  const Result result = all_of(program, 0);
  CHECK(result.is_proved());
  CHECK(program.wrong == 0);
}

TEST_CASE("64 CTAs hand on a semaphore", "[memory]") {
  Threads program = split_k(64);
  const Result result = all_of(program, 0);
  CHECK(result.is_proved());
  CHECK(result.executions == 1);
}

TEST_CASE("the table of programs", "[.memory-table]") {
  const auto print = [](const std::string& name, const Result& result) {
    std::cout << std::left << std::setw(50) << name << std::right << std::setw(6) << result.executions << " executions "
              << std::setw(6) << result.blocked << " blocked " << std::setw(8) << result.visits << " graphs "
              << std::setw(9) << std::fixed << std::setprecision(3) << 1000 * result.seconds << " ms\n";
  };
  std::vector<RightProgram> right = right_programs();
  for (std::size_t ctas = 7; ctas <= 8; ++ctas) {
    right.push_back({"look-back of " + std::to_string(ctas) + " CTAs", look_back(ctas, release, acquire), 0});
    right.push_back({"last CTA of " + std::to_string(ctas) + ", fence.sc", last_cta(ctas, sc), 0});
  }
  right.push_back({"split-K semaphore, 64 CTAs", split_k(64), 0});
  for (RightProgram& it : right) {
    print(it.name, all_of(it.program, it.resident));
  }
  for (WrongProgram& it : wrong_programs()) {
    print(it.name, explore(it.program, {.resident = it.resident}));
  }
}
