#include "host/proof/small_programs.hpp"

#include <dma/kernel/cta.hpp>
#include <dma/machine/machine.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/draw.hpp>
#include <dma/proof/finding.hpp>
#include <dma/proof/finding_formatter.hpp>
#include <dma/proof/proof_options.hpp>
#include <dma/proof/prove.hpp>
#include <dma/proof/record/recording.hpp>
#include <dma/proof/replay/schedule.hpp>
#include <dma/proof/timeline.hpp>
#include <dma/proof/verdict.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using dma::machine::Point;
using dma::proof::FailsBy;
using dma::proof::FindingKind;
using dma::proof::IsProved;
using dma::proof::Verdict;
using dma::proof::detail::Finding;
using dma::proof::detail::FindingFormatter;
using dma::proof::detail::RingUse;
using small::Operation;
using small::Program;

namespace {

Operation at(Operation operation, int place) {
  operation.place = place;
  return operation;
}

/// One named barrier and two phase barriers, each at a place of its own.
Program copies_and_meets() {
  using namespace small;
  Program two = program(
      {{bulk_load(0, 16, 1), at(phase_arrive(0, 16), 1), at(wait(0, 0), 1), at(sync(0, 2), 2), read(1),
        at(sync(0, 2), 2), write(2)},
       {copy_async(2), at(arrive_when_copied(1), 3), at(wait(1, 0), 3), at(phase_arrive(1), 3), at(sync(0, 2), 2)}},
      1, {1, 1});
  two.places.push_back({{.point = Point::full}, {}});
  two.places.push_back({{.point = Point::cta}, {}});
  two.places.push_back({{.point = Point::empty}, {}});
  return two;
}

std::string text_of(const Verdict& verdict) {
  std::ostringstream text;
  text << verdict;
  return text.str();
}

/// A pipeline as `for_all_trips` sees it.
template <int Stages>
struct Slots {
  static constexpr int stages = Stages;
};

/// A proof in which a pipeline of `stages` slots moved `tiles` tiles.
Verdict moves(int tiles, int stages) {
  Verdict verdict;
  verdict.did_something = true;
  verdict.rings.push_back({"A", 0, stages, tiles});
  return verdict;
}

/// Each CTA leaves its number where the others do, if it may; then the last one to run decides what is there.
struct LeavesItsNumber {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  void operator()(dma::KernelCta<LeavesItsNumber>& cta, int* last, int* sum) const {
    if (cta.thread() == 0) {
      *last = cta.block().x;
      *sum += 1 + cta.block().x;
    }
  }
};

/// Meets as often as its CTA's index says.
struct MeetsByIndex {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  void operator()(dma::KernelCta<MeetsByIndex>& cta) const {
    const dma::Index3 block = cta.block();
    for (int i = 0; i < 1 + block.x + 2 * block.y + 4 * block.z; ++i) {
      cta.sync();
    }
  }
};

/// The first CTA to run waits for ever, unless it is the first one of the grid.
struct FirstWaits {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  void operator()(dma::KernelCta<FirstWaits>& cta, int* ran) const {
    if (cta.thread() == 0) {
      *ran += 1;
    }
    cta.sync();
    if (*ran == 1 && cta.block().x != 0) {
      dma::machine::barrier_sync(1, 32, {});
      throw dma::host::KernelError("the first one");
    }
  }
};

/// Ends where the library's polls are true.
struct EndsWherePollsAreTrue {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  void operator()(dma::KernelCta<EndsWherePollsAreTrue>& cta) const {
    cta.sync();
    if (dma::machine::polls_truly()) {
      throw dma::host::KernelError("a poll was true");
    }
  }
};

}  // namespace

TEST_CASE("each finding has a name of its own", "[proof][verdict]") {
  std::set<std::string> names;
  constexpr int kinds = static_cast<int>(FindingKind::out_of_time) + 1;
  for (int kind = 0; kind < kinds; ++kind) {
    names.insert(dma::proof::name_of(static_cast<FindingKind>(kind)));
  }
  REQUIRE(names.size() == static_cast<std::size_t>(kinds));
  REQUIRE(names.count("") == 0);
}

TEST_CASE("a finding names both agents, and what each of them does", "[proof][verdict]") {
  const Program program = copies_and_meets();
  const auto text = [&](const Finding& finding) { return FindingFormatter(program).describe(finding); };
  REQUIRE(text({FindingKind::race, 0, 6, 1, 0}) == "race: agent 0 writes a tile; agent 1 copies into a tile");
  REQUIRE(text({FindingKind::race, 1, 1, 0, 4}) ==
          "race: agent 1 arrives, when its copies are done, at empty; agent 0 reads a tile");
  REQUIRE(text({FindingKind::deadlock, 1, 4}) == "deadlock: agent 1 arrives and waits for the CTA to synchronize");
  REQUIRE(text({FindingKind::armed_at_exit, 1, -1}) ==
          "pending at exit: agent 1 copies into a tile, and waits for it too early or not at all");
  // Barriers are counted from the named ones on.
  REQUIRE(text({FindingKind::armed_at_exit, -1, 0}) == "pending at exit: the CTA to synchronize");
  REQUIRE(text({FindingKind::armed_at_exit, -1, 1}) == "pending at exit: full");
  REQUIRE(text({FindingKind::armed_at_exit, -1, 2}) == "pending at exit: empty");
}

TEST_CASE("a schedule has a line for each move, in its agent's column and with its phase", "[proof][verdict]") {
  const Program program = copies_and_meets();
  const std::vector<dma::proof::detail::Event> schedule{{0, 0, false}, {1, 1, false}, {0, 1, false}, {0, 0, true},
                                                        {1, 1, true},  {0, 2, false}, {1, 2, false}, {1, 3, false},
                                                        {0, 3, false}, {1, 4, false}};
  const dma::proof::Timeline timeline = FindingFormatter(program).timeline(schedule, {FindingKind::deadlock, 0, 5});
  REQUIRE(timeline.text() ==
          "  o |  agent 0 copies into a tile, phase 0\n"
          "  | o  agent 1 arrives, when its copies are done, at empty, phase 0\n"
          "  o |  agent 0 arrives at full, phase 0\n"
          "  . |  agent 0's copy ends, phase 0\n"
          "  | .  agent 1's copy ends, phase 0\n"
          "  o |  agent 0 waits for full, phase 0\n"
          "  | o  agent 1 waits for empty, phase 0\n"
          "  | o  agent 1 arrives at empty, phase 1\n"
          "  o |  agent 0 arrives and waits for the CTA to synchronize\n"
          "  | o  agent 1 arrives and waits for the CTA to synchronize\n"
          "  x |  agent 0 cannot continue: it arrives and waits for the CTA to synchronize\n"
          "  | o  agent 1 has ended\n");
  REQUIRE((timeline.steps.back().mark == dma::proof::Timeline::Mark::acts && !timeline.steps.back().is_fault));
  // Of another fault nobody is said to have ended.
  REQUIRE(FindingFormatter(program).timeline(schedule, {FindingKind::race, 0, 5}).steps.size() == schedule.size());
}

TEST_CASE("who waits at a named barrier for others cannot continue, and has not ended", "[proof][verdict]") {
  using namespace small;
  Operation of_two = at(arrive(0, 4), 1);
  of_two.units = 2;
  Program three = program(
      {{at(sync(0, 4), 1), at(sync(1, 4), 1)}, {at(sync(0, 4), 1)}, {of_two, at(sync(1, 4), 1)}, {at(sync(1, 4), 1)}},
      2);
  three.places.push_back({{.point = Point::cta}, {}});
  const auto last = [&](const std::vector<dma::proof::detail::Event>& schedule) {
    const auto steps = FindingFormatter(three).timeline(schedule, {FindingKind::deadlock, 0, 0}).steps;
    return std::vector(steps.end() - 4, steps.end());
  };
  const std::string waits = " cannot continue: it arrives and waits for the CTA to synchronize";
  auto steps = last({{3, 0, false}, {0, 0, false}, {1, 0, false}});
  CHECK(steps[0].text == "agent 0" + waits);
  CHECK(steps[1].text == "agent 1" + waits);
  CHECK(steps[2].text == "agent 2 cannot continue: it arrives at the CTA to synchronize");
  CHECK(steps[3].text == "agent 3" + waits);
  CHECK((steps[1].is_fault && steps[1].mark == dma::proof::Timeline::Mark::cannot_continue));
  // The barrier is complete, and the other one, which waits for four, is not.
  steps = last({{3, 0, false}, {0, 0, false}, {1, 0, false}, {2, 0, false}, {2, 1, false}});
  CHECK(steps[0].text == "agent 0" + waits);
  CHECK(steps[1].text == "agent 1 has ended");
  CHECK(steps[2].text == "agent 2" + waits);
  CHECK(steps[3].text == "agent 3" + waits);
}

TEST_CASE("who opens or closes a barrier says which one, by what others do there", "[proof][verdict]") {
  using namespace small;
  Program one = program({{phase_open(0, 1), phase_open(1, 1), at(sync(0, 2), 1), phase_close(1), phase_close(0)},
                         {at(sync(0, 2), 1), at(phase_arrive(0), 2), at(wait(0, 0), 2)}},
                        1, {1, 1});
  one.places.push_back({{.point = Point::cta}, {}});
  one.places.push_back({{.point = Point::full}, {}});
  const std::vector<dma::proof::detail::Event> schedule{{0, 0, false}, {0, 1, false}, {0, 2, false},
                                                        {1, 0, false}, {0, 3, false}, {0, 4, false}};
  REQUIRE(FindingFormatter(one).timeline(schedule, {FindingKind::race, 0, 4}).text() ==
          "  o |  agent 0 opens full\n"
          "  o |  agent 0 opens a barrier that this run does not use\n"
          "  o |  agent 0 arrives and waits for the CTA to synchronize\n"
          "  | o  agent 1 arrives and waits for the CTA to synchronize\n"
          "  o |  agent 0 closes a barrier that this run does not use\n"
          "  o |  agent 0 closes full\n");
}

TEST_CASE("a schedule's data say which steps wait, copy and are the fault", "[proof][verdict]") {
  using Mark = dma::proof::Timeline::Mark;
  const Program program = copies_and_meets();
  const std::vector<dma::proof::detail::Event> schedule{{0, 1, false}, {0, 0, false}, {1, 1, false},
                                                        {1, 1, true},  {0, 0, true},  {0, 2, false}};
  const dma::proof::Timeline timeline = FindingFormatter(program).timeline(schedule, {FindingKind::race, 0, 2, 1, 1});
  REQUIRE(timeline.agents == std::vector<std::string>{"agent 0", "agent 1"});
  const std::vector<Mark> marks{Mark::acts, Mark::copies, Mark::copies, Mark::ends_copy, Mark::ends_copy, Mark::waits};
  const std::vector<int> began{-1, -1, -1, 2, 1, -1};
  const std::vector<bool> faults{false, false, true, false, false, true};
  REQUIRE(timeline.steps.size() == marks.size());
  for (std::size_t i = 0; i < marks.size(); ++i) {
    CAPTURE(i);
    CHECK(timeline.steps[i].mark == marks[i]);
    CHECK(timeline.steps[i].began == began[i]);
    CHECK(timeline.steps[i].is_fault == faults[i]);
  }
}

/// How often a text stands in another one.
int count_of(const std::string& part, const std::string& text) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST_CASE("a picture has a row for each step, and columns for the warps that take part", "[proof][verdict]") {
  using Mark = dma::proof::Timeline::Mark;
  Verdict verdict;
  REQUIRE(dma::proof::draw(verdict).empty());
  verdict.timeline.agents = {"warp 0", "warp 1", "warp 2"};
  verdict.timeline.pipelines = {"pipeline A: Pipe<4>"};
  verdict.timeline.steps = {{.agent = 0, .mark = Mark::copies, .text = "copies"},
                            {.agent = 2, .mark = Mark::waits, .text = "waits"},
                            {.agent = 0, .mark = Mark::ends_copy, .text = "ends", .began = 0},
                            {.agent = 2, .mark = Mark::cannot_continue, .text = "a < b", .is_fault = true}};
  const std::string svg = dma::proof::draw(verdict);
  INFO(svg);
  CHECK(count_of("class=\"k\"", svg) == 1 + 3 + 4 + 1);  // the columns' heading, steps, keys, the pipeline
  CHECK(count_of("class=\"k fault\"", svg) == 1);
  CHECK(count_of("class=\"m\"", svg) == 2);
  CHECK(count_of("class=\"flight\"", svg) == 1);
  CHECK(count_of(">1</text>", svg) == 0);
  CHECK(count_of(">a &lt; b</text>", svg) == 1);
  CHECK(count_of(">pipeline A: Pipe&lt;4&gt;</text>", svg) == 1);
}

TEST_CASE("a picture folds what is between the first and the last steps of a long schedule", "[proof][verdict]") {
  Verdict verdict;
  verdict.timeline.agents = {"warp 0"};
  for (int i = 0; i < 100; ++i) {
    verdict.timeline.steps.push_back({.text = "step " + std::to_string(i) + "."});
  }
  const auto shown = [&](int most_steps) {
    const std::string svg = dma::proof::draw(verdict, most_steps);
    std::vector<int> steps;
    for (int i = 0; i < 100; ++i) {
      if (count_of(">step " + std::to_string(i) + ".<", svg) == 1) {
        steps.push_back(i);
      }
    }
    return std::pair(steps, svg);
  };
  const auto [steps, svg] = shown(8);
  CHECK(steps == std::vector<int>{0, 1, 95, 96, 97, 98, 99});
  CHECK(count_of(">... 93 steps ...<", svg) == 1);
  CHECK(shown(100).first.size() == 100);
  CHECK(count_of("steps ...", shown(100).second) == 0);
  CHECK(shown(99).first.size() == 98);
}

TEST_CASE("a verdict says what it knows, and no more", "[proof][verdict]") {
  Verdict verdict;
  verdict.runs = 2;
  verdict.operations = 30;
  REQUIRE_THAT(text_of(verdict), ContainsSubstring("proved (2 runs, 30 operations, ") && !ContainsSubstring("states") &&
                                     !ContainsSubstring("only "));
  verdict.states = 5;
  verdict.reservation = "for these";
  REQUIRE_THAT(text_of(verdict),
               ContainsSubstring("30 operations, 5 states, ") && ContainsSubstring("only for these\n"));
  verdict.kind = FindingKind::race;
  verdict.message = "where";
  verdict.timeline.title = "when";
  verdict.seed = 4;
  REQUIRE_THAT(text_of(verdict), ContainsSubstring("where\nwhen\n  dma::host::launch with seed 4 repeats") &&
                                     !ContainsSubstring("replay"));
  const Program program = copies_and_meets();
  dma::proof::detail::Recording recording;
  verdict.schedule =
      std::make_shared<const dma::proof::Schedule>(recording, program, std::vector<dma::proof::detail::Event>{});
  REQUIRE_THAT(text_of(verdict), ContainsSubstring("dma::proof::replay of this verdict runs the schedule"));
}

TEST_CASE("matchers tell proofs from faults, and faults from each other", "[proof][verdict]") {
  Verdict verdict;
  REQUIRE_THAT(verdict, IsProved() && !FailsBy(FindingKind::race));
  verdict.kind = FindingKind::race;
  REQUIRE_THAT(verdict, !IsProved() && FailsBy(FindingKind::race) && !FailsBy(FindingKind::deadlock));
  REQUIRE_THAT(FailsBy(FindingKind::deadlock).describe(), ContainsSubstring("fails by deadlock"));
}

TEST_CASE("proofs of all numbers of tiles add up, and the first fault says its number", "[proof][verdict]") {
  std::vector<int> asked;
  const auto judge = [&](int tiles) {
    asked.push_back(tiles);
    Verdict verdict = moves(tiles, 2);
    verdict.operations = 10;
    verdict.states = 3;
    verdict.runs = 2;
    verdict.reservation = tiles == 2 ? "for two" : "";
    return verdict;
  };
  const Verdict all = dma::proof::for_all_trips<Slots<2>>(judge);
  REQUIRE_THAT(all, IsProved());
  REQUIRE(asked == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
  REQUIRE((all.operations == 80 && all.states == 24 && all.runs == 16));
  REQUIRE(all.reservation == "for two");
  asked.clear();
  static_cast<void>(dma::proof::for_all_trips<Slots<1>, Slots<3>, Slots<2>>(judge));
  REQUIRE(asked.size() == 11);

  const Verdict fails = dma::proof::for_all_trips<Slots<2>>([](int tiles) {
    Verdict verdict = moves(std::min(tiles, 1), 2);
    verdict.kind = tiles == 3 ? FindingKind::deadlock : FindingKind::none;
    verdict.message = tiles == 3 ? "there" : "";
    return verdict;
  });
  REQUIRE_THAT(fails, FailsBy(FindingKind::deadlock));
  REQUIRE(fails.message == "with 3 tiles: there");
}

TEST_CASE("three rounds of a pipeline's slots and one tile are enough, unless it always moves the same",
          "[proof][verdict]") {
  const auto judge = [](int most) {
    return dma::proof::for_all_trips<Slots<3>>([=](int tiles) { return moves(std::min(tiles, most), 2); });
  };
  REQUIRE_THAT(judge(7), IsProved());
  REQUIRE_THAT(judge(6), FailsBy(FindingKind::few_tiles));
  REQUIRE_THAT(judge(6).message,
               ContainsSubstring("a pipeline of 2 slots moved 6 tiles at most") && ContainsSubstring("needs 7") &&
                   ContainsSubstring("as many times larger as the grid has CTAs, which divide the tiles"));
  const auto with_one_that_loads_once = [](int tiles) {
    Verdict verdict = moves(tiles, 1);
    verdict.rings.push_back(moves(2, 4).rings.front());
    verdict.rings.back().pipeline = "B";
    return verdict;
  };
  REQUIRE_THAT(dma::proof::for_all_trips<Slots<1>>(with_one_that_loads_once), IsProved());
}

TEST_CASE("a proof of any number of tiles is none where the number changes nothing", "[proof][verdict]") {
  for (const int tiles : {0, 2, 7}) {
    const Verdict same = dma::proof::for_all_trips<Slots<2>>([=](int) { return moves(tiles, 2); });
    CAPTURE(tiles, same);
    REQUIRE_THAT(same, FailsBy(FindingKind::few_tiles));
    REQUIRE_THAT(same.message, ContainsSubstring("no pipeline moved more tiles the more there were"));
  }
}

TEST_CASE("proofs of all choices of skipped tiles end with a fault that says its choice", "[proof][verdict]") {
  const auto judge = [](unsigned wrong) {
    return dma::proof::for_all_masks<3>([=](unsigned skipped) {
      Verdict verdict = moves(1, 1);
      verdict.kind = skipped == wrong ? FindingKind::race : FindingKind::none;
      verdict.message = skipped == wrong ? "there" : "";
      return verdict;
    });
  };
  REQUIRE(judge(0).message == "with no tile skipped: there");
  REQUIRE(judge(5).message == "with skipped tiles 0, 2: there");
  REQUIRE(judge(7).message == "with skipped tiles 0, 1, 2: there");
  REQUIRE_THAT(judge(8), IsProved());
}

TEST_CASE("outputs are what they were before each run and after all", "[proof][verdict]") {
  int last = 5;
  int sum = 7;
  const auto prove = [&](int seeds, bool all) {
    dma::proof::Options options{.seeds = seeds};
    std::span<int> outputs[] = {std::span(&sum, 1), std::span(&last, 1)};
    for (auto& output : outputs) {
      options.outputs.push_back(dma::proof::output(output));
    }
    if (!all) {
      options.outputs.pop_back();
    }
    return dma::proof::prove(options, LeavesItsNumber{}, {3}, &last, &sum);
  };
  // The sum is the same in each order only from the same beginning on.
  REQUIRE_THAT(prove(6, false), IsProved());
  REQUIRE(sum == 7);
  last = 5;
  const Verdict differs = prove(2, true);
  REQUIRE_THAT(differs, FailsBy(FindingKind::different_outputs));
  REQUIRE(differs.message ==
          "element 0 of output 1 is not the same with seed 1 as with seed 0; judge every access to see by which");
  REQUIRE(differs.seed == 1);
  REQUIRE(last == 5);
}

TEST_CASE("CTAs of a grid are compared with themselves alone", "[proof][verdict]") {
  const Verdict verdict = dma::proof::prove({.seeds = 3}, MeetsByIndex{}, {2, 2, 2});
  REQUIRE_THAT(verdict, IsProved());
  REQUIRE(verdict.runs == 3 * 8);
  REQUIRE(verdict.operations == 3 * 32 * (8 + 4 * (1 + 2 + 4)));
}

TEST_CASE("seeds are those that were asked for", "[proof][verdict]") {
  const auto prove = [](unsigned first_seed, int seeds) {
    int ran = 0;
    std::span<int> output(&ran, 1);
    return dma::proof::prove({.first_seed = first_seed, .seeds = seeds, .outputs = {dma::proof::output(output)}},
                             FirstWaits{}, {2}, &ran);
  };
  REQUIRE_THAT(prove(0, 1), IsProved());
  for (const unsigned first : {0U, 1U}) {
    const Verdict verdict = prove(first, 2);
    REQUIRE_THAT(verdict, FailsBy(FindingKind::broken_contract));
    REQUIRE(verdict.seed == 1);
    REQUIRE(verdict.runs == (first == 0 ? 3 : 1));
  }
}

TEST_CASE("where the library polls, both answers are proved", "[proof][verdict]") {
  const Verdict verdict = dma::proof::prove({.seeds = 2}, EndsWherePollsAreTrue{}, {1});
  REQUIRE_THAT(verdict, FailsBy(FindingKind::broken_contract));
  REQUIRE(verdict.message == "a poll was true");
  REQUIRE(verdict.runs == 3);
}
