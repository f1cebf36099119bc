#include "host/proof/memory/oracle.hpp"
#include "host/proof/memory/small_programs.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <sstream>
#include <string>

namespace {

using namespace memory_tests;

struct Compared {
  long programs = 0;
  long executions = 0;
  long races = 0;
  long narrow_races = 0;
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
  compared.deadlocks += expected.has_deadlock ? 1 : 0;
  const bool has_double = std::adjacent_find(found.keys.begin(), found.keys.end()) != found.keys.end();
  compared.doubles += has_double ? 1 : 0;
  if (has_double || expected.keys != found.keys || expected.has_race != found.has_race ||
      expected.has_narrow_race != found.has_narrow_race || expected.has_deadlock != found.has_deadlock) {
    ++compared.differences;
    if (compared.first.empty()) {
      std::ostringstream text;
      text << program << "oracle: " << expected.keys.size() << " executions, race " << expected.has_race << ", narrow "
           << expected.has_narrow_race << ", deadlock " << expected.has_deadlock << "; explorer: " << found.keys.size()
           << ", " << found.has_race << ", " << found.has_narrow_race << ", " << found.has_deadlock;
      compared.first = text.str();
    }
  }
}

Compared compare_random(std::uint64_t seed, long count) {
  Random random(seed);
  Compared compared;
  for (long i = 0; i < count; ++i) {
    compare(random.program(), compared);
  }
  return compared;
}

}  // namespace

TEST_CASE("random programs have the executions that an oracle enumerates, each once", "[memory]") {
  const Compared compared = compare_random(1, 20000);
  INFO(compared.first);
  CHECK(compared.differences == 0);
  CHECK(compared.doubles == 0);
  CHECK(compared.executions > 100000);
  CHECK(compared.races > 1000);
  CHECK(compared.narrow_races > 1000);
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

TEST_CASE("a million random programs have the executions that an oracle enumerates", "[.memory-million]") {
  Compared all;
  for (std::uint64_t seed = 100; seed < 200; ++seed) {
    const Compared some = compare_random(seed, 10000);
    all.programs += some.programs;
    all.executions += some.executions;
    all.races += some.races;
    all.narrow_races += some.narrow_races;
    all.deadlocks += some.deadlocks;
    INFO("seed " << seed << '\n' << some.first);
    CHECK(some.differences == 0);
    CHECK(some.doubles == 0);
  }
  std::cout << all.programs << " programs, " << all.executions << " executions, " << all.races << " with a race, "
            << all.narrow_races << " with one by scope alone, " << all.deadlocks << " with a deadlock\n";
}
