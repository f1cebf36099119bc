#include <dma/machine/site.hpp>
#include <dma/proof/cta_conflicts.hpp>
#include <dma/proof/judge_recording.hpp>
#include <dma/proof/record/byte_ranges.hpp>
#include <dma/proof/record/global_accesses.hpp>
#include <dma/proof/record/recording.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using dma::proof::FindingKind;
using dma::proof::Verdict;
using dma::proof::detail::ByteRange;
using dma::proof::detail::ByteRanges;
using dma::proof::detail::CtaConflicts;
using dma::proof::detail::first_global;
using dma::proof::detail::GlobalAccess;
using dma::proof::detail::Operation;
using dma::proof::detail::OperationKind;
using dma::proof::detail::Recording;

/// Recordings written by hand: what threads and CTAs access of global memory, and what a verdict makes of them.
namespace {

ByteRange global(long long first, long long last) { return {first_global + first, first_global + last}; }

/// CTA `x` of three, without threads.
Recording cta(int x) {
  Recording recording;
  recording.block = {x, 0, 0};
  recording.blocks = {3, 1, 1};
  return recording;
}
Recording reads(int x, const ByteRanges& bytes) {
  Recording recording = cta(x);
  recording.global_reads = bytes;
  return recording;
}
Recording writes(int x, const ByteRanges& bytes) {
  Recording recording = cta(x);
  recording.global_writes = bytes;
  return recording;
}
Recording adds(int x, const ByteRanges& bytes) {
  Recording recording = cta(x);
  recording.global_atomics = bytes;
  return recording;
}

/// An atomic of one location of global memory, and accesses of others.
enum class Does { counts, counts_relaxed, reads, writes, writes_shared, reads_atomically };
Recording meets(int x, const std::vector<std::vector<Does>>& threads) {
  Recording recording = cta(x);
  recording.atomics = 1;
  recording.meets_ctas = true;
  const int counter = recording.ranges->number_of({global(1024, 1032)});
  const int data = recording.ranges->number_of({global(0, 4)});
  const int shared = recording.ranges->number_of({{0, 4}});
  for (const auto& thread : threads) {
    recording.threads.emplace_back();
    for (const Does what : thread) {
      const bool counts = what == Does::counts || what == Does::counts_relaxed;
      const bool is_atomic = counts || what == Does::reads_atomically;
      recording.threads.back().push_back({.kind = is_atomic ? OperationKind::atomic : OperationKind::access,
                                          .count = what == Does::counts ? 3 : 0,
                                          .reads = what == Does::reads || what == Does::reads_atomically ? data : 0,
                                          .writes = counts                        ? counter
                                                    : what == Does::writes        ? data
                                                    : what == Does::writes_shared ? shared
                                                                                  : 0});
    }
  }
  return recording;
}

Verdict between(const std::vector<Recording>& recordings) {
  CtaConflicts conflicts;
  for (const Recording& recording : recordings) {
    conflicts.add(recording);
  }
  return conflicts.judge();
}
bool is_race(const std::vector<Recording>& recordings) { return between(recordings).kind == FindingKind::race; }

/// Two threads of a CTA beside others. The first accesses shared memory, copies and accesses global memory apart.
Recording two_threads() {
  Recording recording = cta(0);
  const int shared = recording.ranges->number_of({{0, 8}});
  recording.threads = {{{.kind = OperationKind::access, .reads = shared},
                        {.kind = OperationKind::copy_async, .writes = shared},
                        {.kind = OperationKind::copy_to_global, .reads = shared},
                        {.kind = OperationKind::sync}},
                       {{.kind = OperationKind::access}, {.kind = OperationKind::sync}}};
  recording.global.resize(2);
  recording.apart = {{{3, {.kind = OperationKind::access}}}, {}};
  recording.global[0] = {
      {global(0, 4), 0, true}, {global(16, 32), 1, false}, {global(48, 64), 2, true}, {global(100, 104), ~0, true}};
  return recording;
}
/// After what the second thread accesses in its first operation.
Recording settled(const std::vector<GlobalAccess>& by_second, Recording recording = two_threads()) {
  recording.global[1] = by_second;
  dma::proof::detail::GlobalAccesses(recording).settle();
  return recording;
}
const ByteRanges& list(const Recording& recording, std::size_t thread, std::size_t operation, bool writes) {
  const Operation& at = recording.threads.at(thread).at(operation);
  return (*recording.ranges)[writes ? at.writes : at.reads];
}

/// Two warps that meet and write one word, in a run that threw.
Recording race_with_error(FindingKind kind) {
  Recording recording;
  recording.threads.resize(64);
  const int word = recording.ranges->number_of({{0, 4}});
  for (std::size_t thread = 0; thread < 64; ++thread) {
    recording.threads[thread].push_back({.kind = OperationKind::sync, .count = 64});
    if (thread % 32 == 0) {
      recording.threads[thread].push_back({.kind = OperationKind::access, .writes = word});
    }
  }
  recording.answers.resize(64);
  recording.error = kind == FindingKind::none ? "" : "thrown";
  recording.error_kind = kind;
  return recording;
}
/// One thread that waits for a barrier where it is alone, or leaves an arrival at it.
Recording waits_with_error(OperationKind what, FindingKind kind) {
  Recording recording;
  recording.threads = {{{.kind = what, .count = 64}}};
  recording.error = kind == FindingKind::none ? "" : "thrown";
  recording.error_kind = kind;
  return recording;
}

}  // namespace

TEST_CASE("CTAs conflict where two of them access bytes, one with a write", "[proof][ctas]") {
  REQUIRE(!is_race({reads(0, {global(0, 8)}), reads(1, {global(0, 8)})}));
  REQUIRE(is_race({reads(0, {global(0, 8)}), writes(1, {global(4, 12)})}));
  REQUIRE(is_race({writes(0, {global(0, 8)}), reads(1, {global(4, 12)})}));
  REQUIRE(is_race({writes(0, {global(0, 8)}), writes(1, {global(7, 9)})}));
  REQUIRE(!is_race({writes(0, {global(0, 8)}), writes(1, {global(8, 9)})}));
  REQUIRE(!is_race({adds(0, {global(0, 8)}), adds(1, {global(0, 8)})}));
  REQUIRE(is_race({adds(0, {global(0, 8)}), reads(1, {global(0, 8)})}));
  REQUIRE(is_race({adds(0, {global(0, 8)}), writes(1, {global(0, 8)})}));
  // Others of its own are between the two.
  Recording both = writes(0, {global(0, 100)});
  both.global_reads = {global(10, 20), global(30, 40)};
  REQUIRE(!is_race({both}));
  REQUIRE(is_race({both, reads(1, {global(50, 60)})}));
  REQUIRE(!is_race({both, reads(1, {global(100, 110)})}));
}

TEST_CASE("a race between CTAs names both, what they do and the bytes", "[proof][ctas]") {
  Recording one = writes(0, {global(0, 8)});
  one.seen = {{nullptr, false, global(0, 8)}, {nullptr, true, global(0, 8)}};
  Recording other = reads(2, {global(4, 64)});
  other.seen = {{nullptr, false, global(4, 64)}};
  REQUIRE_THAT(between({one, other}).message,
               ContainsSubstring("race between CTAs: block (0, 0, 0) writes and block (2, 0, 0) reads bytes 4 to 7 of "
                                 "global memory") &&
                   ContainsSubstring(", and nothing orders them"));
  // Without an instruction that has accessed these bytes so it is a copy.
  one.seen = {{nullptr, false, global(0, 8)}, {nullptr, true, global(64, 72)}};
  other.seen = {{nullptr, true, global(4, 64)}};
  REQUIRE_THAT(between({one, other}).message,
               ContainsSubstring("block (0, 0, 0) writes by a copy and block (2, 0, 0) reads by a copy"));
}

TEST_CASE("atomics order what one CTA does before them and another one behind them", "[proof][ctas]") {
  const auto race = [](const std::vector<Does>& first, const std::vector<Does>& second) {
    return is_race({meets(0, {first}), meets(1, {second})});
  };
  REQUIRE(!race({Does::writes, Does::counts}, {Does::counts, Does::reads}));
  REQUIRE(!race({Does::reads, Does::counts}, {Does::counts, Does::writes}));
  REQUIRE(race({Does::counts, Does::writes}, {Does::counts, Does::reads}));
  REQUIRE(race({Does::writes, Does::counts}, {Does::reads, Does::counts}));
  REQUIRE(race({Does::writes, Does::counts}, {Does::counts, Does::writes}));
  REQUIRE(!race({Does::reads, Does::counts}, {Does::counts, Does::reads}));
  REQUIRE(race({Does::counts, Does::reads}, {Does::counts, Does::writes}));
  // An atomic load is a read, which orders nothing that it meets.
  REQUIRE(!race({Does::reads}, {Does::reads_atomically}));
  REQUIRE(!race({Does::reads_atomically}, {Does::reads_atomically}));
  REQUIRE(race({Does::writes, Does::counts}, {Does::reads_atomically}));
  REQUIRE(!is_race({meets(0, {{Does::reads_atomically}}), adds(1, {global(0, 4)})}));
  REQUIRE_THAT(between({meets(0, {{Does::reads_atomically}}), writes(1, {global(0, 4)})}).message,
               ContainsSubstring("block (0, 0, 0) reads"));
  // Only where both make atomics.
  REQUIRE(is_race({meets(0, {{Does::writes, Does::counts}}), reads(1, {global(0, 4)})}));
  REQUIRE(is_race({reads(0, {global(0, 4)}), meets(1, {{Does::counts, Does::writes}})}));
  // Another thread Does::counts too, and knows nothing of the first one.
  REQUIRE(!is_race(
      {meets(0, {{Does::writes, Does::counts}, {Does::counts_relaxed}}), meets(1, {{Does::counts, Does::reads}})}));
  REQUIRE(!is_race(
      {meets(0, {{Does::counts_relaxed}, {Does::writes, Does::counts}}), meets(1, {{Does::counts, Does::reads}})}));
  // Each CTA has its own shared memory.
  REQUIRE(!race({Does::writes_shared, Does::counts}, {Does::counts, Does::writes_shared}));
}

TEST_CASE("operations have the bytes of global memory at which two threads or copies meet", "[proof][ctas]") {
  const Recording alone = settled({});
  REQUIRE(!alone.shares_global);
  REQUIRE(alone.global_reads == ByteRanges{global(16, 32)});
  REQUIRE(alone.global_writes == ByteRanges{global(0, 4), global(48, 64), global(100, 104)});
  REQUIRE(alone.threads[0].size() == 4);

  const Recording read = settled({{global(2, 6), 0, false}});
  REQUIRE(read.shares_global);
  REQUIRE(read.global_reads == ByteRanges{global(2, 6), global(16, 32)});
  REQUIRE(list(read, 0, 0, true) == ByteRanges{global(0, 4)});
  REQUIRE(list(read, 0, 0, false) == ByteRanges{{0, 8}});
  REQUIRE(list(read, 1, 0, false) == ByteRanges{global(2, 6)});
  REQUIRE(list(read, 1, 0, true).empty());
  REQUIRE(list(read, 0, 1, false).empty());
  REQUIRE((read.threads[0].size() == 4 && read.threads[1].size() == 2));

  // What is apart becomes an operation of its thread, where it was.
  const Recording apart = settled({{global(100, 104), 0, true}});
  REQUIRE(apart.threads[0].size() == 5);
  REQUIRE(list(apart, 0, 3, true) == ByteRanges{global(100, 104)});
  REQUIRE(apart.threads[0][2].kind == OperationKind::copy_to_global);
  REQUIRE(apart.threads[0][4].kind == OperationKind::sync);
}

TEST_CASE("a copy is another user of global memory than the thread that issues it", "[proof][ctas]") {
  for (const bool is_store : {false, true}) {
    Recording recording = two_threads();
    recording.threads[0].push_back({.kind = OperationKind::access});
    recording.global[0].push_back({is_store ? global(50, 54) : global(20, 24), 4, !is_store});
    const Recording after = settled({}, recording);
    REQUIRE(after.shares_global);
    REQUIRE(list(after, 0, 4, !is_store).size() == 1);
    REQUIRE(list(after, 0, is_store ? 2 : 1, is_store).size() == 1);
  }
}

TEST_CASE("bytes that copies and atomics of the kernel add to are those of atomics", "[proof][ctas]") {
  Recording adding = two_threads();
  adding.threads[0][2].adds = true;
  const Recording after = settled({}, adding);
  REQUIRE(after.global_atomics == ByteRanges{global(48, 64)});
  REQUIRE(after.global_writes == ByteRanges{global(0, 4), global(100, 104)});
  Recording counting = two_threads();
  counting.global_atomics = {global(200, 208)};
  REQUIRE(!settled({}, counting).shares_global);
  REQUIRE(settled({{global(200, 204), 0, false}}, counting).shares_global);
  // Where CTAs meet by atomics, operations have all.
  Recording meeting = two_threads();
  meeting.meets_ctas = true;
  const Recording all = settled({}, meeting);
  REQUIRE(list(all, 0, 0, true) == ByteRanges{global(0, 4)});
  REQUIRE(list(all, 0, 1, false) == ByteRanges{global(16, 32)});
  REQUIRE(all.threads[0].size() == 5);
}

TEST_CASE("an error of a run is a verdict, unless a judge finds another cause", "[proof][ctas]") {
  const auto kind = [](const Recording& recording) { return dma::proof::detail::judge_by_clocks(recording).kind; };
  REQUIRE(kind(race_with_error(FindingKind::none)) == FindingKind::race);
  REQUIRE(kind(race_with_error(FindingKind::broken_contract)) == FindingKind::race);
  REQUIRE(kind(race_with_error(FindingKind::unconverged_lanes)) == FindingKind::unconverged_lanes);
  for (const OperationKind what : {OperationKind::sync, OperationKind::arrive}) {
    const FindingKind found = what == OperationKind::sync ? FindingKind::deadlock : FindingKind::armed_at_exit;
    REQUIRE(kind(waits_with_error(what, FindingKind::none)) == found);
    REQUIRE(kind(waits_with_error(what, FindingKind::broken_contract)) == FindingKind::broken_contract);
    REQUIRE(kind(waits_with_error(what, FindingKind::deadlock)) == found);
  }
  Recording polls = race_with_error(FindingKind::none);
  polls.polls_by_itself = true;
  REQUIRE(kind(polls) == FindingKind::depends_on_schedule);
}

TEST_CASE("a finding has the shortest schedule where a search within its limits finds one", "[proof][ctas]") {
  const Recording race = race_with_error(FindingKind::none);
  const Verdict verdict = dma::proof::detail::judge_by_clocks(race);
  REQUIRE(verdict.schedule != nullptr);
  REQUIRE_THAT(verdict.timeline.text(), ContainsSubstring("by the shortest schedule, race: warp"));
  for (const std::size_t states : {0, 1}) {
    const Verdict limited = dma::proof::detail::judge_by_clocks(race, {.states = states});
    REQUIRE(limited.kind == FindingKind::race);
    REQUIRE(limited.schedule == nullptr);
    REQUIRE_THAT(limited.timeline.text(), !ContainsSubstring("shortest"));
  }
}

TEST_CASE("a search finds bytes that were not written, and refuses atomics", "[proof][ctas]") {
  Recording recording = race_with_error(FindingKind::none);
  for (auto& thread : recording.threads) {
    thread.clear();
  }
  REQUIRE(dma::proof::detail::judge_by_search({}, recording).is_proved());
  recording.contents_fault.emplace();
  REQUIRE(dma::proof::detail::judge_by_search({}, recording).kind == FindingKind::unwritten_bytes);
  REQUIRE(dma::proof::detail::judge_by_clocks(recording).kind == FindingKind::unwritten_bytes);
  recording.atomics = 1;
  const Verdict atomics = dma::proof::detail::judge_by_search({}, recording);
  REQUIRE(atomics.kind == FindingKind::depends_on_schedule);
  REQUIRE_THAT(atomics.message, ContainsSubstring("use prove()"));
}

TEST_CASE("bytes that were not written are named by thread, access and reason", "[proof][ctas]") {
  Recording recording;
  recording.threads.resize(64);
  recording.ctas = recording.cluster = 2;
  recording.shared_pitch = 1024;
  recording.contents_fault.emplace();
  auto& fault = *recording.contents_fault;
  fault.thread = 3;
  fault.by_copy = fault.is_stale = true;
  fault.byte = 1030;
  fault.caller = dma::machine::SourceLocation::here("a/kernel.cpp", 12);
  REQUIRE_THAT(dma::proof::detail::verdict_of_contents(recording).message,
               ContainsSubstring("thread 3 of CTA 0 of the cluster copies out ") &&
                   ContainsSubstring(", which is left from the tile before (kernel.cpp:12); fill the whole tile"));
  recording.ctas = recording.cluster = 1;
  fault.by_copy = fault.is_stale = false;
  fault.byte = 6;
  REQUIRE_THAT(dma::proof::detail::verdict_of_contents(recording).message,
               ContainsSubstring("thread 3 reads ") &&
                   ContainsSubstring(", which no thread has written (kernel.cpp:12); write it first"));
  fault.kind = FindingKind::accessed_barrier;
  fault.writes = true;
  REQUIRE_THAT(dma::proof::detail::verdict_of_contents(recording).message,
               ContainsSubstring("thread 3 writes ") && ContainsSubstring(", in the word of an open mbarrier"));
}
