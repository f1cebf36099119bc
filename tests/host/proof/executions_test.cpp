#include "kernels/handshakes.hpp"
#include "kernels/ordered_by_memory.hpp"

#include <dma/proof/catch2.hpp>
#include <dma/proof/draw.hpp>
#include <dma/proof/prove.hpp>
#include <dma/proof/replay.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <ctime>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

using by_memory::DecoupledScan;
using by_memory::EachOther;
using by_memory::ExchangeLock;
using by_memory::Flag;
using by_memory::GridBarrier;
using by_memory::Histogram;
using by_memory::InClusters;
using by_memory::LastByLibrary;
using by_memory::LastCta;
using by_memory::Lock;
using by_memory::LookBack;
using by_memory::Maximum;
using by_memory::Mistake;
using by_memory::Queue;
using by_memory::Scan;
using by_memory::Semaphore;
using by_memory::TicketLock;
using by_memory::Tickets;
using by_memory::WithinCta;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using dma::proof::FindingKind;
using dma::proof::IsProved;
using dma::proof::Verdict;

namespace {

template <class Kernel>
Verdict judged(const Kernel& kernel, int ctas, std::vector<int>& words, int resident) {
  constexpr bool has_scratch =
      std::is_base_of_v<handshakes::Handshake, Kernel> || std::is_same_v<handshakes::StoresFarAway, Kernel>;
  words.assign(80, 0);
  const int count = has_scratch ? handshakes::scratch : by_memory::counter;
  // An emulated processor takes 30 times as long.
  return dma::proof::prove({.outputs = {dma::proof::output(words.data(), count)},
                            .has_other_arrays = has_scratch,
                            .resident = resident,
                            .limits = {.seconds = 120, .bytes = 1U << 26U}},
                           kernel, {ctas}, words.data());
}
template <class Kernel>
Verdict judged(const Kernel& kernel, int ctas, int resident = 0) {
  std::vector<int> words;
  return judged(kernel, ctas, words, resident);
}
/// Whether the execution of a verdict, run again, ends in a deadlock.
template <class Kernel>
bool replay_is_stuck(const Verdict& verdict, const Kernel& kernel, int ctas, int* words) {
  try {
    dma::proof::replay(verdict, kernel, {ctas}, words);
  } catch (const dma::host::Deadlock&) {
    return true;
  }
  return false;
}
/// All of so many executions are right, within seconds of processor time: 30 times as many as a proof takes, or more.
template <class Kernel>
void is_proved(const Kernel& kernel, int ctas, long executions, double most_seconds = 10) {
  const std::clock_t start = std::clock();
  const Verdict verdict = judged(kernel, ctas);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  CAPTURE(ctas, verdict);
  REQUIRE(seconds < most_seconds);
  REQUIRE_THAT(verdict, IsProved());
  const std::string count = std::to_string(executions) + (executions == 1 ? " execution of " : " executions of ");
  CHECK_THAT(verdict.claim, ContainsSubstring("all " + count + std::to_string(ctas) + " CTA"));
}
template <class Kernel>
void fails(const Kernel& kernel, int ctas, FindingKind kind, const std::string& text = "", int resident = 0) {
  std::vector<int> words;
  const Verdict verdict = judged(kernel, ctas, words, resident);
  CAPTURE(ctas, verdict);
  REQUIRE(verdict.kind == kind);
  REQUIRE_THAT(verdict.message, ContainsSubstring(text));
  REQUIRE(!verdict.timeline.steps.empty());
  CHECK(replay_is_stuck(verdict, kernel, ctas, words.data()) == (kind == FindingKind::deadlock));
}

void needs_every_access() {
  if (!dma::proof::sees_every_access) {
    SKIP("executions are explored where a proof sees every access");
  }
}

/// Each CTA gives a sign and looks for the other one's: where both miss it, the second one to say so waits for ever.
struct MissEachOther {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  DMA_HOST_DEVICE void operator()(dma::KernelCta<MissEachOther>& cta, int* words) const {
    using Int = dma::atomic_ref<int, dma::Scope::gpu>;
    if (cta.thread() == 0) {
      const int block = cta.block().x;
      Int(words[block]).store(1, dma::Order::relaxed);
      const int seen = Int(words[1 - block]).load(dma::Order::relaxed);
      words[4 + block] = seen + 10;
      if (seen == 0 && Int(words[2]).fetch_add(1, dma::Order::relaxed) == 1) {
        while (Int(words[3]).load(dma::Order::relaxed) == 0) {
        }
      }
    }
    cta.sync_warp();
  }
};

/// CTA 1 waits for ever where the other one's store is behind its own.
struct Overwritten {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  DMA_HOST_DEVICE void operator()(dma::KernelCta<Overwritten>& cta, int* words) const {
    const dma::atomic_ref<int, dma::Scope::gpu> word(words[0]);
    if (cta.thread() == 0) {
      word.store(1 + cta.block().x, dma::Order::relaxed);
      if (cta.block().x == 1 && word.load(dma::Order::relaxed) == 1) {
        while (word.load(dma::Order::relaxed) != 0) {
        }
      }
    }
    cta.sync_warp();
  }
};

/// All threads count, and those of warp 0 alone come to the CTA's barrier.
struct CountsThenWaits {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  DMA_HOST_DEVICE void operator()(dma::KernelCta<CountsThenWaits>& cta, int* words) const {
    if (cta.lane() == 0) {
      dma::atomic_ref<int, dma::Scope::gpu>(*words).fetch_add(1, dma::Order::relaxed);
    }
    if (cta.warp() == 0) {
      cta.sync();
    }
    if (cta.warp() == 1) {
      cta.sync_warp();
    }
  }
};

/// Warp 1 stays away from the CTA's barrier where a grid before has given what `Flag` gives.
struct WaitsUnlessGiven {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  DMA_HOST_DEVICE void operator()(dma::KernelCta<WaitsUnlessGiven>& cta, int* words, int* out) const {
    out[cta.thread()] = words[1];
    if (cta.warp() == 0 || words[1] != 7) {
      cta.sync();
    }
  }
};

}  // namespace

TEST_CASE("kernels that order themselves by memory are proved, each execution once", "[proof][executions]") {
  needs_every_access();
  // Who reads whom is one way, where one thread writes and others wait for it.
  is_proved(Flag<Mistake::none>{}, 2, 1);
  is_proved(Flag<Mistake::none>{}, 4, 1);
  is_proved(LookBack<Mistake::none>{}, 6, 1);
  is_proved(Scan<Mistake::none>{}, 6, 1);
  is_proved(Scan<Mistake::none>{}, 8, 1);
  is_proved(Semaphore<Mistake::none>{}, 16, 1, 60);
  is_proved(WithinCta<Mistake::none>{}, 1, 1);
  is_proved(Histogram{}, 1, 1);
  // So many as there are orders of the CTAs.
  is_proved(LastCta<Mistake::none>{}, 3, 6);
  is_proved(LastCta<Mistake::none>{}, 4, 24);
  is_proved(GridBarrier<Mistake::none>{}, 3, 6);
  is_proved(TicketLock<Mistake::none>{}, 3, 6);
  is_proved(LastByLibrary{}, 3, 6);
  // A CTA finds of each one before it the sum or the prefix, and ends at the first prefix: k + 1 ways behind k others.
  is_proved(DecoupledScan<Mistake::none>{}, 4, 6);
  is_proved(DecoupledScan<Mistake::none>{}, 6, 120);
  // Orders of the 3 tickets' and the 3 last draws among equal CTAs are not one: the places say who drew.
  is_proved(Tickets{}, 3, 162);
}

TEST_CASE("executions beyond a limit are said in the claim", "[proof][executions]") {
  needs_every_access();
  std::vector<int> words(80);
  const Verdict eight = dma::proof::prove({.outputs = {dma::proof::output(words)}, .limits = {.executions = 20}},
                                          DecoupledScan<Mistake::none>{}, {8}, words.data());
  CAPTURE(eight);
  REQUIRE_THAT(eight, IsProved());
  REQUIRE(eight.executions == 20);
  REQUIRE_THAT(eight.reservation, ContainsSubstring("the first 20 of more executions of 8 CTAs"));
}

TEST_CASE("locks, queues and a maximum are proved", "[proof][executions]") {
  needs_every_access();
  // Two orders, in each of which the second one finds the lock taken first or not.
  is_proved(Lock<Mistake::none>{}, 2, 4);
  is_proved(Lock<Mistake::none, 2>{}, 2, 4);
  // Who finds it taken writes what was there, and polls: the orders alone.
  is_proved(ExchangeLock<Mistake::none>{}, 2, 2);
  is_proved(ExchangeLock<Mistake::none>{}, 3, 6);
  is_proved(Queue<Mistake::none>{}, 2, 9);
  is_proved(Maximum{}, 3, 28);
  // No race, and who sees the other is not the same in all.
  REQUIRE(judged(EachOther<true>{}, 2).kind == FindingKind::different_outputs);
}

TEST_CASE("a missing acquire, release or scope is found", "[proof][executions]") {
  needs_every_access();
  constexpr FindingKind kind = FindingKind::race;
  fails(Flag<Mistake::no_acquire>{}, 2, kind, "element 1 of output 0");
  fails(Flag<Mistake::no_release>{}, 2, kind, "element 1 of output 0");
  fails(Flag<Mistake::overwritten>{}, 3, kind, "element 1 of output 0");
  fails(LastCta<Mistake::no_acquire>{}, 3, kind);
  fails(LastCta<Mistake::no_release>{}, 3, kind);
  fails(LookBack<Mistake::no_acquire>{}, 3, kind);
  fails(LookBack<Mistake::no_release>{}, 3, kind);
  fails(Scan<Mistake::no_acquire>{}, 2, kind);
  fails(Scan<Mistake::no_release>{}, 2, kind);
  fails(DecoupledScan<Mistake::no_acquire>{}, 3, kind);
  fails(DecoupledScan<Mistake::no_release>{}, 3, kind);
  fails(GridBarrier<Mistake::no_acquire>{}, 2, kind);
  fails(GridBarrier<Mistake::no_release>{}, 2, kind);
  fails(Lock<Mistake::no_acquire>{}, 2, kind);
  fails(Lock<Mistake::no_release>{}, 2, kind);
  fails(ExchangeLock<Mistake::no_acquire>{}, 2, kind);
  fails(ExchangeLock<Mistake::no_release>{}, 2, kind);
  fails(TicketLock<Mistake::no_acquire>{}, 2, kind);
  fails(TicketLock<Mistake::no_release>{}, 2, kind);
  fails(Semaphore<Mistake::no_acquire>{}, 3, kind);
  fails(Semaphore<Mistake::no_release>{}, 3, kind);
  fails(Queue<Mistake::no_acquire>{}, 2, kind);
  fails(Queue<Mistake::no_release>{}, 2, kind);
  fails(WithinCta<Mistake::no_acquire>{}, 1, kind);
  fails(WithinCta<Mistake::no_release>{}, 1, kind);
}

TEST_CASE("a scope that holds one of the CTAs alone is found", "[proof][executions]") {
  needs_every_access();
  const auto is_found = [](const auto& kernel, int ctas) {
    fails(kernel, ctas, FindingKind::race, "widen their scopes");
  };
  is_found(Flag<Mistake::narrow>{}, 2);
  is_found(LastCta<Mistake::narrow>{}, 2);
  is_found(LookBack<Mistake::narrow>{}, 2);
  is_found(Scan<Mistake::narrow>{}, 2);
  is_found(DecoupledScan<Mistake::narrow>{}, 2);
  is_found(GridBarrier<Mistake::narrow>{}, 2);
  is_found(Lock<Mistake::narrow>{}, 2);
  is_found(ExchangeLock<Mistake::narrow>{}, 2);
  is_found(TicketLock<Mistake::narrow>{}, 2);
  is_found(Semaphore<Mistake::narrow>{}, 2);
  is_found(Queue<Mistake::narrow>{}, 2);
}

TEST_CASE("threads that agree by several words are proved, and found with a mistake", "[proof][executions]") {
  needs_every_access();
  using namespace handshakes;
  using handshakes::Mistake;
  constexpr FindingKind race = FindingKind::race;
  is_proved(ReusedCounter{}, 1, 4);
  fails(ReusedCounter{Mistake::no_acquire}, 1, race);
  fails(ReusedCounter{Mistake::no_release}, 1, race);
  is_proved(Compaction{}, 2, 4);
  is_proved(Compaction{}, 3, 36);
  fails(Compaction{Mistake::no_acquire}, 2, race);
  fails(Compaction{Mistake::no_release}, 2, race);
  const Verdict peterson = judged(Peterson{}, 2);
  CAPTURE(peterson);
  REQUIRE_THAT(peterson, IsProved());
  REQUIRE(peterson.executions > 1);
  fails(Peterson{Mistake::no_acquire}, 2, race);
  fails(Peterson{Mistake::no_release}, 2, race);
  fails(Peterson{Mistake::one_fence}, 2, race);
  fails(Peterson{Mistake::narrow_fence}, 2, race);
  is_proved(Signal{}, 2, 3);
  fails(Signal{Mistake::no_acquire}, 2, race);
  fails(Signal{Mistake::no_release}, 2, race);
  fails(Signal{Mistake::late_check}, 2, FindingKind::deadlock, "a value that no thread changes");
}

TEST_CASE("fences order data, at their scopes", "[proof][executions]") {
  needs_every_access();
  using namespace handshakes;
  using handshakes::Mistake;
  is_proved(Publish{}, 2, 1);
  fails(Publish{Mistake::no_acquire}, 2, FindingKind::different_outputs);
  fails(Publish{Mistake::no_release}, 2, FindingKind::different_outputs);
  is_proved(FencedFlag{}, 2, 1);
  fails(FencedFlag{Mistake::no_acquire}, 2, FindingKind::race);
  fails(FencedFlag{Mistake::no_release}, 2, FindingKind::race);
  fails(FencedFlag{Mistake::narrow_fence}, 2, FindingKind::narrow_scope, "widen its scope");
  fails(FencedFlag{Mistake::narrow_scope}, 2, FindingKind::race, "widen their scopes");
  is_proved(FenceOrder{}, 2, 2);
  fails(FenceOrder{Mistake::one_fence}, 2, FindingKind::race);
  // Who reads whom orders the reset, and fences the data.
  is_proved(FencedLast{}, 3, 6);
  fails(FencedLast{Mistake::no_acquire}, 3, FindingKind::race, "element 2 of output 0");
  fails(FencedLast{Mistake::no_release}, 3, FindingKind::race, "element 2 of output 0");
  fails(FencedLast{Mistake::late_check}, 3, FindingKind::race, "are not ordered");
  is_proved(ReadsTwice{}, 2, 1);
  // Two orders of the CTAs. Those of the lanes' stores are one.
  is_proved(LanesReset{}, 2, 2);
  fails(LanesReset{Mistake::late_check}, 2, FindingKind::race, "are not ordered");
  is_proved(Lanes{}, 1, 1);
  fails(Lanes{Mistake::no_release}, 1, FindingKind::different_outputs);
}

TEST_CASE("a thread's own ordinary and atomic accesses of a word need no other order", "[proof][executions]") {
  needs_every_access();
  using namespace handshakes;
  using handshakes::Mistake;
  is_proved(OwnAccesses{}, 2, 1);
  fails(OwnAccesses{Mistake::no_acquire}, 2, FindingKind::race, "thread 0 of CTA 0 (handshakes.hpp:");
  fails(OwnAccesses{Mistake::no_release}, 2, FindingKind::race, "thread 0 of CTA 0 (handshakes.hpp:");
  // Who sees a later count of the thread has its ordinary store behind a release alone.
  fails(OwnStoreSeen{Mistake::no_release}, 2, FindingKind::race, "thread 0 of CTA 0 (handshakes.hpp:");
  fails(OwnStoreSeen{Mistake::no_acquire}, 2, FindingKind::race, "thread 0 of CTA 0 (handshakes.hpp:");
}

TEST_CASE("lanes that meet in a loop poll together", "[proof][executions]") {
  needs_every_access();
  using namespace handshakes;
  using handshakes::Mistake;
  for (const bool by_first : {true, false}) {
    WarpPolls kernel;
    kernel.by_first = by_first;
    const Verdict verdict = judged(kernel, 3);
    CAPTURE(verdict, by_first);
    CHECK_THAT(verdict, IsProved());
    CHECK_THAT(verdict.claim, ContainsSubstring("all "));
    kernel.mistake = Mistake::no_acquire;
    CHECK(judged(kernel, 2).kind == FindingKind::race);
    kernel.mistake = Mistake::no_release;
    CHECK(judged(kernel, 2).kind == FindingKind::race);
  }
  is_proved(CountsMeetings{}, 1, 1);
}

TEST_CASE("threads that wait for each other in a loop poll together", "[proof][executions]") {
  needs_every_access();
  using namespace handshakes;
  using handshakes::Mistake;
  for (const bool by_warp : {true, false}) {
    Meets kernel;
    kernel.by_warp = by_warp;
    CAPTURE(by_warp);
    for (const int ctas : {2, 3}) {
      const Verdict verdict = judged(kernel, ctas);
      CAPTURE(verdict, ctas);
      CHECK_THAT(verdict, IsProved());
      CHECK_THAT(verdict.claim, ContainsSubstring("all "));
    }
    kernel.mistake = Mistake::no_acquire;
    CHECK(judged(kernel, 2).kind == FindingKind::race);
    kernel.mistake = Mistake::no_release;
    CHECK(judged(kernel, 2).kind == FindingKind::race);
    kernel.mistake = Mistake::late_check;
    fails(kernel, 2, FindingKind::deadlock, "a value that no thread changes");
  }
  is_proved(CountsInMemory{}, 1, 1);
}

TEST_CASE("what goes wrong in some executions only is found", "[proof][executions]") {
  needs_every_access();
  fails(Lock<Mistake::two_steps>{}, 2, FindingKind::race, "element 2 of output 0");
  fails(Lock<Mistake::opposite, 2>{}, 2, FindingKind::deadlock, "a value that no thread changes");
  // A flag is seen at 0 and then at 1, or a counter at 2 of 4.
  is_proved(handshakes::SeenTwice{}, 2, 3);  // 0 and 0, 0 and 1, or 1.
  fails(handshakes::SeenTwice{handshakes::Mistake::late_check}, 2, FindingKind::race, "element 1 of output 0");
  for (const bool is_in_cta : {true, false}) {
    handshakes::TwoOfFour kernel;
    kernel.is_in_cta = is_in_cta;
    is_proved(kernel, is_in_cta ? 1 : 4, 6 * (1 + 2 + 3 + 4));  // The counts from its own on, at each of its places.
    kernel.mistake = handshakes::Mistake::late_check;
    fails(kernel, is_in_cta ? 1 : 4, FindingKind::deadlock, "a value that no thread changes");
  }
  // Both look before either store is there.
  fails(EachOther<false>{}, 2, FindingKind::race);
}

TEST_CASE("a deadlock at a barrier names the barrier, beside atomic accesses too", "[proof][executions]") {
  needs_every_access();
  fails(CountsThenWaits{}, 1, FindingKind::deadlock,
        "deadlock: thread 0 arrives and waits for the CTA to synchronize ("
        "executions_test.cpp");
  fails(CountsThenWaits{}, 2, FindingKind::deadlock, "executions_test.cpp");
}

TEST_CASE("a wait for a CTA that does not begin is a deadlock, with its remedy", "[proof][executions]") {
  needs_every_access();
  fails(GridBarrier<Mistake::none>{}, 4, FindingKind::deadlock, "CTA 2 has not begun, since 2 CTAs run at a time", 2);
  fails(GridBarrier<Mistake::none>{}, 4, FindingKind::deadlock, ".cooperative = true", 3);
  const Verdict in_order = judged(LookBack<Mistake::none>{}, 4, 1);
  CAPTURE(in_order);
  REQUIRE_THAT(in_order, IsProved());
  REQUIRE(in_order.executions == 1);
  REQUIRE_THAT(in_order.claim, ContainsSubstring("4 CTAs, 1 resident, under PTX without load buffering"));
}

TEST_CASE("CTAs that begin in any order", "[proof][executions]") {
  needs_every_access();
  using handshakes::TicketLookBack;
  const auto judged_in = [](bool by_index, int ctas, int resident, bool equal, auto kernel) {
    std::vector<int> words(80);
    kernel.by_index = by_index;
    return dma::proof::prove({.outputs = {dma::proof::output(words.data(), handshakes::scratch)},
                              .has_other_arrays = true,
                              .resident = resident,
                              .any_cta_order = true,
                              .equal_ctas = equal},
                             kernel, {ctas}, words.data());
  };
  const auto in_any_order = [&](bool by_index, int ctas, int resident, auto kernel) {
    return judged_in(by_index, ctas, resident, false, kernel);
  };
  for (const int resident : {1, 2}) {
    const Verdict by_ticket = in_any_order(false, 3, resident, TicketLookBack{});
    CAPTURE(by_ticket, resident);
    REQUIRE_THAT(by_ticket, IsProved());
    REQUIRE_THAT(by_ticket.claim, ContainsSubstring("all 6 executions of 3 CTAs, " + std::to_string(resident) +
                                                    " resident, begun in any order"));
    const Verdict by_index = in_any_order(true, 3, resident, TicketLookBack{});
    CAPTURE(by_index);
    REQUIRE(by_index.kind == FindingKind::deadlock);
    REQUIRE_THAT(by_index.message, ContainsSubstring("CTA 0 has not begun, since " + std::to_string(resident) +
                                                     " CTAs run at a time and begin in any order: let each take its "
                                                     "number from a counter"));
    REQUIRE_THAT(by_index.message, ContainsSubstring(".cooperative = true"));
    REQUIRE_FALSE(by_index.timeline.steps.empty());
  }
  REQUIRE_THAT(in_any_order(true, 3, 3, TicketLookBack{}), IsProved());
  // Of two clusters the one that begins first takes the first two tickets, unless both are resident.
  for (const int resident : {2, 4}) {
    const Verdict clusters = in_any_order(false, 4, resident, InClusters<TicketLookBack>{});
    CAPTURE(clusters, resident);
    REQUIRE_THAT(clusters, IsProved());
    REQUIRE(clusters.executions == (resident == 2 ? 2 * 2 * 2 : 24));
  }
  REQUIRE(in_any_order(true, 4, 2, InClusters<TicketLookBack>{}).kind == FindingKind::deadlock);
  const Verdict equal = judged_in(false, 5, 2, true, TicketLookBack{});
  CAPTURE(equal);
  REQUIRE_THAT(equal, IsProved());
  REQUIRE(equal.executions == 1);
}

TEST_CASE("executions that differ by an exchange of equal CTAs are one", "[proof][executions]") {
  needs_every_access();
  const auto judged_as_equal = [](const auto& kernel, int ctas) {
    std::vector<int> words(80);
    return dma::proof::prove({.outputs = {dma::proof::output(words)}, .equal_ctas = true}, kernel, {ctas},
                             words.data());
  };
  for (const Verdict& verdict :
       {judged_as_equal(LastCta<Mistake::none>{}, 6), judged_as_equal(GridBarrier<Mistake::none>{}, 5),
        judged_as_equal(InClusters<LastCta<Mistake::none>>{}, 2)}) {
    CAPTURE(verdict);
    REQUIRE_THAT(verdict, IsProved());
    REQUIRE(verdict.executions == 1);
    REQUIRE_THAT(verdict.claim, ContainsSubstring("up to an exchange of equal CTAs"));
  }
  // Clusters are exchanged as a whole: each order of the places of two and two.
  const Verdict clusters = judged_as_equal(InClusters<LastCta<Mistake::none>>{}, 4);
  CAPTURE(clusters);
  REQUIRE(clusters.executions == 24 / 2);
  REQUIRE_THAT(clusters.claim, ContainsSubstring("up to an exchange of equal clusters"));
  REQUIRE(judged_as_equal(LastByLibrary{}, 6).executions == 6);  // CTA 0 stores a word more, and may come at any place.
  REQUIRE(judged_as_equal(LastCta<Mistake::no_release>{}, 6).kind == FindingKind::race);
}

TEST_CASE("executions that differ by an exchange of equal threads are one", "[proof][executions]") {
  needs_every_access();
  const auto judged_as_equal = [](handshakes::Mistake mistake) {
    std::vector<int> words(80);
    handshakes::Places kernel;
    kernel.mistake = mistake;
    return dma::proof::prove({.outputs = {dma::proof::output(words.data(), handshakes::scratch)},
                              .has_other_arrays = true,
                              .equal_threads = true,
                              .limits = {.executions = 20}},
                             kernel, {1}, words.data());
  };
  const Verdict verdict = judged_as_equal(handshakes::Mistake::none);
  CAPTURE(verdict);
  REQUIRE_THAT(verdict, IsProved());
  REQUIRE(verdict.executions == 1);
  REQUIRE_THAT(verdict.claim, ContainsSubstring("up to an exchange of equal threads"));
  // Seen as each thread takes each place.
  REQUIRE(judged_as_equal(handshakes::Mistake::late_check).kind == FindingKind::race);
  // It waits there for ever. The threads are not equal then, and have more executions than the first ones.
  const Verdict unequal = judged_as_equal(handshakes::Mistake::no_acquire);
  CAPTURE(unequal);
  REQUIRE_THAT(unequal.reservation, ContainsSubstring("for the first"));
  REQUIRE_THAT(unequal.reservation, ContainsSubstring("whose threads are not equal"));
}

TEST_CASE("the library's counters keep their contracts in each execution", "[proof][executions]") {
  needs_every_access();
  // One CTA is the last, which sees what all have written. It leaves the counter at 0, as the emulator asks.
  is_proved(LastByLibrary{}, 3, 6);
  // Each number is taken once.
  is_proved(handshakes::Tiles{}, 2, 48);
  // Waits end, where all CTAs are resident and where one has fewer tiles.
  is_proved(handshakes::Paced{}, 2, 54);
  fails(handshakes::Paced{}, 2, FindingKind::deadlock, "CTA 1 has not begun", 1);
}

TEST_CASE("the CTAs of a cluster order each other at its scope", "[proof][executions]") {
  needs_every_access();
  using handshakes::ClusterFlag;
  using handshakes::Mistake;
  is_proved(ClusterFlag{}, 2, 1);
  fails(ClusterFlag{Mistake::no_acquire}, 2, FindingKind::race);
  fails(ClusterFlag{Mistake::no_release}, 2, FindingKind::race);
  fails(ClusterFlag{Mistake::narrow_scope}, 2, FindingKind::race, "widen their scopes");
  // They begin together, however few CTAs run at a time.
  REQUIRE_THAT(judged(ClusterFlag{}, 2, 1), IsProved());
}

TEST_CASE("the CTAs of several clusters run together", "[proof][executions]") {
  needs_every_access();
  constexpr FindingKind race = FindingKind::race;
  using handshakes::ClusterFlag;
  using handshakes::Relay;
  // Each cluster for itself, and one after another.
  is_proved(ClusterFlag{}, 4, 1);
  is_proved(ClusterFlag{}, 6, 1);
  fails(ClusterFlag{handshakes::Mistake::no_acquire}, 4, race, "of CTA 1");
  is_proved(Relay{}, 6, 1);
  fails(Relay{handshakes::Mistake::no_acquire}, 4, race);
  fails(Relay{handshakes::Mistake::no_release}, 4, race);
  fails(Relay{handshakes::Mistake::late_check}, 4, FindingKind::ended_cta, "thread 0 of CTA 2 ");
  // As many executions as orders of the CTAs. Each finds the lock free, or taken by one before it.
  is_proved(InClusters<LastCta<Mistake::none>>{}, 4, 24);
  fails(InClusters<LastCta<Mistake::no_acquire>>{}, 4, race);
  fails(InClusters<LastCta<Mistake::no_release>>{}, 4, race);
  is_proved(InClusters<Lock<Mistake::none>, true>{}, 4, 4);
  is_proved(InClusters<Lock<Mistake::none>, true>{}, 6, 6 * 1 * 2 * 3);
  fails(InClusters<Lock<Mistake::no_acquire>, true>{}, 4, race);
  fails(InClusters<Lock<Mistake::no_release>, true>{}, 4, race);
  fails(InClusters<Lock<Mistake::opposite, 2>>{}, 4, FindingKind::deadlock, "a value that no thread changes");
}

TEST_CASE("the scope of a cluster orders nothing in another one", "[proof][executions]") {
  needs_every_access();
  is_proved(InClusters<Flag<Mistake::none>>{}, 6, 1);
  fails(InClusters<Flag<Mistake::narrow>>{}, 2, FindingKind::race, "widen their scopes");
  is_proved(InClusters<Flag<Mistake::in_cluster>>{}, 2, 1);
  fails(InClusters<Flag<Mistake::in_cluster>>{}, 4, FindingKind::race, "widen their scopes");
  fails(InClusters<Flag<Mistake::in_cluster>, true>{}, 4, FindingKind::race, "thread 0 of CTA 2");
  // CTAs without a cluster are one each.
  fails(Flag<Mistake::in_cluster>{}, 2, FindingKind::race, "widen their scopes");
  using Fenced = handshakes::FencedFlag;
  constexpr handshakes::Mistake narrow = handshakes::Mistake::cluster_fence;
  is_proved(InClusters<Fenced>{}, 2, 1);
  is_proved(InClusters<Fenced>{{narrow}}, 2, 1);
  is_proved(InClusters<Fenced, true>{}, 4, 1);
  fails(InClusters<Fenced, true>{{narrow}}, 4, FindingKind::narrow_scope, "widen its scope");
}

TEST_CASE("clusters begin in order, as many as are resident", "[proof][executions]") {
  needs_every_access();
  constexpr const char* waits = "CTA 2 has not begun, since 2 CTAs of clusters of 2 run at a time";
  using Barrier = InClusters<GridBarrier<Mistake::none>>;
  fails(Barrier{}, 4, FindingKind::deadlock, waits, 2);
  fails(Barrier{}, 4, FindingKind::deadlock, waits, 3);  // A cluster has room for all its CTAs.
  fails(Barrier{}, 4, FindingKind::deadlock, "as many as the GPU holds: dma::occupancy<Kernel, Args...>().ctas", 1);
  REQUIRE_THAT(judged(Barrier{}, 4, 4), IsProved());
  for (const int resident : {1, 2}) {
    handshakes::WaitsForCta kernel;
    REQUIRE_THAT(judged(kernel, 4, resident), IsProved());
    kernel.other = 2;
    fails(kernel, 4, FindingKind::deadlock, waits, resident);
  }
  const Verdict in_order = judged(InClusters<LookBack<Mistake::none>>{}, 6, 2);
  CAPTURE(in_order);
  REQUIRE_THAT(in_order, IsProved());
  REQUIRE(in_order.executions == 1);
  REQUIRE_THAT(in_order.claim,
               ContainsSubstring("6 CTAs in 3 clusters, 1 of these resident, under PTX without load buffering"));
}

TEST_CASE("what executions do not have is said", "[proof][executions]") {
  needs_every_access();
  REQUIRE(judged(handshakes::StoresFarAway{false}, 1).kind == FindingKind::out_of_bounds);
  REQUIRE(judged(handshakes::StoresFarAway{true}, 1).kind == FindingKind::out_of_bounds);

  std::vector<int> words(1);
  const auto judged_up_to = [&](int atomics) {
    return dma::proof::prove({.outputs = {dma::proof::output(words)}, .limits = {.atomics = atomics}},
                             handshakes::Counts{200}, {1}, words.data());
  };
  REQUIRE(
      judged_up_to(128).not_judged.count("since 200 are more than limits.atomics, 128; prove a smaller grid, take "
                                         "more orders by more seeds, or raise it where few threads compete"));
  REQUIRE_THAT(judged_up_to(200).claim, ContainsSubstring("all 1 execution of 1 CTA"));
}

TEST_CASE("ordinary accesses of a part of a word are explored by their bytes", "[proof][executions]") {
  needs_every_access();
  using namespace handshakes;
  using handshakes::Mistake;
  is_proved(HalvesOfWord{}, 3, 2);
  fails(HalvesOfWord{Mistake::no_acquire}, 3, FindingKind::race);
  fails(HalvesOfWord{Mistake::no_release}, 3, FindingKind::race);
  fails(HalvesOfWord{Mistake::late_check}, 3, FindingKind::race);
  is_proved(KeepsOtherHalf{}, 3, 2);
  fails(KeepsOtherHalf{Mistake::late_check}, 3, FindingKind::deadlock, "a value that no thread changes");
  is_proved(PolledByte{}, 2, 1);
  fails(PolledByte{Mistake::late_check}, 2, FindingKind::race);
}

TEST_CASE("a word has the value that it had before its first access", "[proof][executions]") {
  needs_every_access();
  is_proved(handshakes::FirstValue{}, 2, 1);
  fails(handshakes::FirstValue{handshakes::Mistake::late_check}, 2, FindingKind::deadlock);
  is_proved(handshakes::LanesSetByte{}, 1, 1);
  fails(handshakes::LanesSetByte{handshakes::Mistake::late_check}, 1, FindingKind::race);
}

TEST_CASE("words of several sizes, and copies into words, are refused with both lines", "[proof][executions]") {
  needs_every_access();
  const Verdict mixed = judged(handshakes::MixedSizes{}, 2);
  CAPTURE(mixed);
  REQUIRE(mixed.kind == FindingKind::depends_on_schedule);
  REQUIRE_THAT(mixed.message, ContainsSubstring("thread 0 of CTA 1 accesses 4 bytes atomically (handshakes.hpp:"));
  REQUIRE_THAT(mixed.message, ContainsSubstring("of which some are among the 8 bytes that thread 0 of CTA 0 accesses "
                                                "atomically (handshakes.hpp:"));
  REQUIRE_THAT(mixed.message, ContainsSubstring("access it as one word everywhere"));

  handshakes::TileOfWords<dma::BulkCopy<>> counted;
  counted.is_counted = true;
  is_proved(counted, 1, 1);
  const Verdict with_tiles = judged(counted, 1);
  REQUIRE(with_tiles.rings.size() == 1);
  REQUIRE(with_tiles.rings.front().tiles == 2);
  counted.mistake = handshakes::Mistake::late_check;
  const Verdict copied = judged(counted, 1);
  CAPTURE(copied);
  REQUIRE(copied.kind == FindingKind::depends_on_schedule);
  REQUIRE_THAT(copied.message, ContainsSubstring("thread 32 copies (handshakes.hpp:"));
  REQUIRE_THAT(copied.message,
               ContainsSubstring("into the 4 bytes that thread 0 accesses atomically (handshakes.hpp:"));
  REQUIRE_THAT(copied.message, ContainsSubstring("threads alone write such words"));

  handshakes::TileOfWords<dma::AsyncCopy<>> loaded;
  // Two, or more where a compiler leaves other values in a thread's registers before the first read of a poll.
  const Verdict whole = judged(loaded, 3);
  CAPTURE(whole);
  REQUIRE_THAT(whole, IsProved());
  REQUIRE_THAT(whole.claim, StartsWith("all ") && ContainsSubstring(" executions of 3 CTAs, 3 resident"));
  loaded.mistake = handshakes::Mistake::late_check;
  const Verdict other = judged(loaded, 3);
  CAPTURE(other);
  REQUIRE(other.kind == FindingKind::depends_on_schedule);
  REQUIRE_THAT(other.message, ContainsSubstring("another first value than in another execution"));
}

TEST_CASE("stores of one instruction are in the order that barriers give them", "[proof][executions]") {
  needs_every_access();
  is_proved(handshakes::LanesInTurn{}, 1, 1);
}

TEST_CASE("the standard's atomics are no ordinary accesses", "[proof][executions]") {
  needs_every_access();
  using handshakes::FlagsInWord;
  using handshakes::Mistake;
  is_proved(FlagsInWord{}, 3, 6);
  fails(FlagsInWord{Mistake::no_acquire}, 3, FindingKind::race);
  fails(FlagsInWord{Mistake::no_release}, 3, FindingKind::race);
}

TEST_CASE("64 CTAs run together", "[proof][executions]") {
  needs_every_access();
  is_proved(Flag<Mistake::none>{}, 64, 1, 200);
}

TEST_CASE("a grid finds what an execution of the grid before it left, in arrays without a name too",
          "[proof][executions]") {
  needs_every_access();
  enum class Named { all, output_alone, nothing };
  for (const Named named : {Named::all, Named::output_alone, Named::nothing}) {
    std::vector<int> words(80);
    std::vector<int> out(64);
    dma::proof::Options options;
    options.has_other_arrays = named == Named::output_alone;
    if (named != Named::nothing) {
      options.outputs.push_back(dma::proof::output(out, "out"));
    }
    if (named == Named::all) {
      options.outputs.push_back(dma::proof::output(words, "words"));
    }
    const Verdict verdict = dma::proof::prove(options, dma::proof::Grid(Flag<Mistake::none>{}, {2}, words.data()),
                                              dma::proof::Grid(WaitsUnlessGiven{}, {1}, words.data(), out.data()));
    CAPTURE(verdict);
    CHECK(verdict.kind == FindingKind::deadlock);
    CHECK_THAT(verdict.message, ContainsSubstring("grid 2: "));
  }
}

TEST_CASE("an execution says which write each read saw, and its picture too", "[proof][executions]") {
  needs_every_access();
  const Verdict verdict = judged(Flag<Mistake::no_acquire>{}, 2);
  const auto& steps = verdict.timeline.steps;
  REQUIRE(verdict.timeline.agents == std::vector<std::string>{"thread 0 of CTA 0", "thread 0 of CTA 1"});
  REQUIRE(steps.size() == 2);
  REQUIRE_THAT(steps[0].text, ContainsSubstring("writes 1 to word 0"));
  const std::string seen = "reads 1 in word 0, which thread 0 of CTA 0 wrote (ordered_by_memory.hpp:";
  REQUIRE_THAT(steps[1].text, ContainsSubstring(seen));
  CHECK(steps[0].saw == -1);
  CHECK(steps[1].saw == 0);
  const std::string picture = dma::proof::draw(verdict);
  CHECK_THAT(picture, ContainsSubstring(seen) && ContainsSubstring("class=\"saw\"") && ContainsSubstring(">0.0<") &&
                          ContainsSubstring(">1.0<"));
  const std::string text = (std::ostringstream() << verdict).str();
  CHECK_THAT(text,
             ContainsSubstring(seen) && ContainsSubstring("dma::proof::replay of this verdict runs the execution"));
}

TEST_CASE("the accesses that a fence is too narrow for are marked", "[proof][executions]") {
  needs_every_access();
  const Verdict verdict = judged(handshakes::FencedFlag{handshakes::Mistake::narrow_fence}, 2);
  REQUIRE(verdict.kind == FindingKind::narrow_scope);
  const auto& steps = verdict.timeline.steps;
  const auto count = std::count_if(steps.begin(), steps.end(), [](const auto& step) { return step.is_fault; });
  CHECK(count > 0);
}

TEST_CASE("a replay of an execution reads what no order of the accesses gives", "[proof][executions][replay]") {
  needs_every_access();
  std::vector<int> words(8);
  const dma::proof::Options options{.has_other_arrays = true};
  const Verdict verdict = dma::proof::prove(options, MissEachOther{}, {2}, words.data());
  CAPTURE(verdict);
  REQUIRE(verdict.kind == FindingKind::deadlock);
  REQUIRE(words == std::vector<int>(8));
  REQUIRE(replay_is_stuck(verdict, MissEachOther{}, 2, words.data()));
  // Both have stored, and neither has seen it.
  CHECK(words == std::vector<int>{1, 1, 2, 0, 10, 10, 0, 0});
}

TEST_CASE("a replay of an execution leaves each word as the order of its writes has it",
          "[proof][executions][replay]") {
  needs_every_access();
  std::vector<int> words(4);
  const dma::proof::Options options{.has_other_arrays = true};
  const Verdict verdict = dma::proof::prove(options, Overwritten{}, {2}, words.data());
  CAPTURE(verdict);
  REQUIRE(verdict.kind == FindingKind::deadlock);
  REQUIRE(replay_is_stuck(verdict, Overwritten{}, 2, words.data()));
  CHECK(words == std::vector<int>{1, 0, 0, 0});
}

TEST_CASE("a replay of an execution is of the same kernel and grid", "[proof][executions][replay]") {
  needs_every_access();
  std::vector<int> words;
  const Verdict verdict = judged(Flag<Mistake::no_acquire>{}, 2, words, 0);
  int* const place = words.data();
  CHECK_THROWS_WITH(dma::proof::replay(verdict, Flag<Mistake::no_acquire>{}, {3}, place),
                    ContainsSubstring("the verdict is about another grid"));
  CHECK_THROWS_WITH(dma::proof::replay(verdict, CountsThenWaits{}, {2}, place),
                    ContainsSubstring("the verdict is about another grid, or a kernel of another number of threads"));
  CHECK_THROWS_WITH(dma::proof::replay(verdict, Overwritten{}, {2}, place + 1),
                    ContainsSubstring("the kernel does not follow the execution"));
  REQUIRE_NOTHROW(dma::proof::replay(verdict, Flag<Mistake::no_acquire>{}, {2}, place));
  CHECK(std::vector<int>(place, place + 3) == std::vector<int>{1, 7, 7});
}
