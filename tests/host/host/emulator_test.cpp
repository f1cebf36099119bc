#include <dma/host/emulation/contexts/fiber.hpp>
#include <dma/host/emulation/contexts/platform.hpp>
#include <dma/host/emulation/convergence.hpp>
#include <dma/host/emulation/grid_counters.hpp>
#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/memory/shared_memory.hpp>
#include <dma/host/emulation/named_barriers.hpp>
#include <dma/host/emulation/phase_barriers.hpp>
#include <dma/host/emulation/phase_word.hpp>
#include <dma/host/emulation/pipeline_letters.hpp>
#include <dma/host/launch.hpp>
#include <dma/host/run_cta.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/kernel/last_cta.hpp>
#include <dma/machine/machine.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <utility>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using dma::Index3;
using dma::host::detail::PhaseBarriers;
using dma::host::detail::PhaseWord;
using dma::host::detail::PipelineLetters;
using dma::machine::Point;
using dma::machine::Site;
using dma::machine::Who;

namespace {

/// The CTAs of a grid as numbers, in the order of a seed.
std::vector<int> order(Index3 grid, unsigned seed, int cluster = 1) {
  std::vector<int> numbers;
  for (const Index3 block : dma::host::detail::blocks_in_order(grid, seed, cluster)) {
    numbers.push_back(block.x + grid.x * (block.y + grid.y * block.z));
  }
  return numbers;
}

/// Writes down the CTAs in the order in which they run.
struct WritesDownItself {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  void operator()(dma::KernelCta<WritesDownItself>& cta, std::vector<int>* ran) const {
    if (cta.thread() == 0) {
      ran->push_back(cta.block().x);
    }
  }
};

/// CTAs in clusters of two, of which one may leave itself out of what all count.
struct CountsInClusters {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  static constexpr dma::KernelTraits traits{.cluster = 2};
  struct Shared {
    dma::ArrivalCounter arrivals;
  };
  void operator()(dma::KernelCta<CountsInClusters>& cta, dma::ArrivalCounter* counter, int left_out) const {
    if (cta.block().x != left_out) {
      static_cast<void>(dma::is_last_cta(cta, *counter, cta.blocks().x, cta.shared<Shared>().arrivals));
    }
  }
};

/// Writes down the ranks of a cluster's CTAs in the order in which they begin.
struct WritesDownItsRank {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  static constexpr dma::KernelTraits traits{.cluster = 3};
  void operator()(dma::KernelCta<WritesDownItsRank>& cta, std::vector<int>* began) const {
    if (cta.thread() == 0) {
      began->push_back(cta.cluster_rank());
    }
    cta.cluster_sync();
  }
};

/// Both CTAs of a cluster wait for ever, for different barriers.
struct BothWait {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  static constexpr dma::KernelTraits traits{.cluster = 2};
  void operator()(dma::KernelCta<BothWait>& cta) const {
    if (cta.warp() == cta.cluster_rank()) {
      dma::machine::barrier_sync(1, 64, {});
    }
  }
};

/// Some lanes of each warp shuffle, and the others end.
struct SomeLanesShuffle {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  void operator()(dma::KernelCta<SomeLanesShuffle>& cta, unsigned lanes) const {
    if ((lanes >> static_cast<unsigned>(cta.lane()) & 1U) != 0) {
      static_cast<void>(cta.shuffle(cta.lane(), 0));
    }
  }
};

/// Half of a warp synchronizes, and then all of it with the CTA.
struct HalfSynchronizes {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  static constexpr int line = __LINE__ + 3;
  void operator()(dma::KernelCta<HalfSynchronizes>& cta) const {
    if (cta.thread() < 16) {
      cta.sync_warp();
    }
    cta.sync();
  }
};

/// Half of each warp does something else.
enum class Halves { same, other_barrier, other_threads, other_file };
struct PartsAtBarriers {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  void operator()(dma::KernelCta<PartsAtBarriers>& cta, Halves what) const {
    const bool is_half = what != Halves::same && cta.lane() < 16;
    if (what == Halves::other_file) {
      meet(cta, is_half);
      return;
    }
    dma::machine::barrier_sync(is_half && what == Halves::other_barrier ? 2 : 1,
                               is_half && what == Halves::other_threads ? 32 : 64, {});
  }

 private:
  static void meet(const dma::Cta& cta, bool is_half);
};

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("CTAs run by index, backwards, or in an order of the seed's own", "[host]") {
  REQUIRE(order({4}, 0) == std::vector<int>{0, 1, 2, 3});
  REQUIRE(order({4}, 1) == std::vector<int>{3, 2, 1, 0});
  REQUIRE(order({4}, 2) == std::vector<int>{0, 1, 2, 3});
  REQUIRE(order({2, 2, 2}, 0) == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
  REQUIRE(order({6}, 1, 2) == std::vector<int>{4, 2, 0});
  std::set<std::vector<int>> orders;
  for (unsigned seed = 3; seed < 13; ++seed) {
    std::vector<int> shuffled = order({8}, seed);
    orders.insert(shuffled);
    std::sort(shuffled.begin(), shuffled.end());
    REQUIRE(shuffled == order({8}, 0));
  }
  REQUIRE(orders.size() == 10);
  for (const unsigned seed : {0U, 1U, 7U}) {
    std::vector<int> ran;
    dma::host::launch({.seed = seed}, WritesDownItself{}, {8}, &ran);
    REQUIRE(ran == order({8}, seed));
  }
}

TEST_CASE("the CTAs of a cluster begin by rank, backwards, or in an order of the seed's own", "[host]") {
  const auto began = [](unsigned seed) {
    std::vector<int> ranks;
    dma::host::launch({.seed = seed}, WritesDownItsRank{}, {3}, &ranks);
    return ranks;
  };
  REQUIRE(began(0) == std::vector<int>{0, 1, 2});
  REQUIRE(began(1) == std::vector<int>{0, 1, 2});
  REQUIRE(began(2) == std::vector<int>{2, 1, 0});
  std::set<std::vector<int>> orders;
  for (unsigned seed = 3; seed < 23; ++seed) {
    REQUIRE(began(seed) == began(seed));
    orders.insert(began(seed));
  }
  REQUIRE(orders.size() > 3);
}

TEST_CASE("a grid is visited until a visitor has seen enough", "[host]") {
  std::vector<int> seen;
  dma::host::detail::for_each_block({5}, 0, [&](Index3 block) {
    seen.push_back(block.x);
    return seen.size() < 3;
  });
  REQUIRE(seen == std::vector<int>{0, 1, 2});
}

TEST_CASE("each CTA of a cluster counts for its grid", "[host]") {
  dma::ArrivalCounter counter{};
  dma::host::launch(CountsInClusters{}, {4}, &counter, -1);
  for (const int left_out : {0, 1, 2, 3}) {
    counter = {};
    REQUIRE_THROWS_AS(dma::host::launch(CountsInClusters{}, {4}, &counter, left_out), dma::host::PendingAtExit);
  }
}

TEST_CASE("a deadlock names each CTA of the cluster in which threads wait", "[host]") {
  const std::string message = message_of([] { dma::host::launch(BothWait{}, {2}); });
  REQUIRE_THAT(message, ContainsSubstring("deadlock in block (0, 0, 0), where no thread can continue:\n"
                                          "  threads 0 to 31 (32 of them): threads wait for a barrier") &&
                            ContainsSubstring("\nand in block (1, 0, 0), where no thread can continue:\n"
                                              "  threads 32 to 63 (32 of them): threads wait for a barrier"));
}

TEST_CASE("lanes that are not converged are named one by one", "[host]") {
  const auto message = [](unsigned lanes) {
    return message_of([=] { dma::host::launch(SomeLanesShuffle{}, {1}, lanes); });
  };
  REQUIRE_THAT(message(0xfffffff0), ContainsSubstring("lane 0 ended before lanes 4 to 31 came to shuffle()") ||
                                        ContainsSubstring("lanes 0 to 3 ended before lane 4 came to shuffle()"));
  REQUIRE_THAT(message(0x00000015), ContainsSubstring("lane 1 ended before lane 0 came to shuffle()") ||
                                        ContainsSubstring("ended before lanes 0, 2, 4 came to shuffle()"));
  REQUIRE_THAT(message(0x0000000f), ContainsSubstring("lane 4 ended before lanes 0 to 3 came to shuffle()"));
  REQUIRE(message(0xffffffff).empty());
}

TEST_CASE("lanes are not converged at two barriers, with two numbers or in two files", "[host]") {
  REQUIRE_NOTHROW(dma::host::launch(PartsAtBarriers{}, {1}, Halves::same));
  for (const Halves what : {Halves::other_barrier, Halves::other_threads, Halves::other_file}) {
    REQUIRE_THROWS_AS(dma::host::launch(PartsAtBarriers{}, {1}, what), dma::host::UnconvergedLanes);
  }
}

TEST_CASE("a phase barrier is closed and ends with nothing pending, and says what is", "[host]") {
  std::array<PhaseWord, 2> words{};
  PipelineLetters letters;
  PhaseBarriers barriers;
  const Site full{Who::dma_warps, Point::full, 1, "Pipe", nullptr};
  barriers.open(&words[0], 4);
  REQUIRE(barriers.armed(letters).empty());
  barriers.arrive(&words[0], full);
  PhaseBarriers::at(&words[0], full).expect(32);
  REQUIRE_THAT(barriers.armed(letters), ContainsSubstring("1 of 4 arrivals, 32 bytes to come") &&
                                            ContainsSubstring("the last by DMA warps for full, slot 1 of pipeline A"));
  REQUIRE_THAT(message_of([&] { barriers.close(&words[0], letters); }), ContainsSubstring("1 of 4 arrivals"));
  for (const int arrivals : {0, -1, PhaseWord::most_arrivals + 1}) {
    REQUIRE_THAT(message_of([&] { barriers.open(&words[1], arrivals); }), ContainsSubstring(", and takes 1 to "));
  }
  barriers.open(&words[1], PhaseWord::most_arrivals);
  barriers.close(&words[1], letters);
  REQUIRE_THAT(message_of([&] { static_cast<void>(PhaseBarriers::at(&words[1], full)); }),
               ContainsSubstring("use a phase barrier that is not open"));
  barriers.open(&words[1], 1);
  // A tile whose arrivals are there, and whose bytes come or have come.
  for (const int bytes : {0, 16}) {
    PhaseBarriers::at(&words[1], full).expect(bytes);
    barriers.arrive(&words[1], full);
    REQUIRE_THAT(barriers.unused(letters), ContainsSubstring("DMA warps filled slot 1"));
    REQUIRE_THROWS_AS(barriers.close(&words[1], letters), dma::host::UnusedTile);
    words[1].pass();
  }
  // Of a slot that was not used, and that is filled again, the phase that has begun is told.
  PhaseBarriers::at(&words[1], full).expect(-16);
  PhaseBarriers::at(&words[1], full).expect(32);
  REQUIRE(barriers.unused(letters).empty());
  REQUIRE_THAT(message_of([&] { barriers.close(&words[1], letters); }), ContainsSubstring("32 bytes to come"));
  // A phase whose bytes come before they are expected.
  PhaseWord early{};
  early.open(1);
  early.expect(-32);
  REQUIRE(early.bytes_to_come() == -32);
  early.expect(48);
  REQUIRE(early.bytes_to_come() == 16);
}

TEST_CASE("named barriers 0 to 15 count whole warps of their CTA", "[host]") {
  dma::host::detail::NamedBarriers barriers(96);
  for (const auto& [id, threads] : {std::pair(0, 32), std::pair(15, 96)}) {
    REQUIRE_NOTHROW(static_cast<void>(barriers.at(id, threads, {})));
  }
  for (const auto& [id, threads] : {std::pair(-1, 32), std::pair(16, 32), std::pair(1, 0), std::pair(1, -32),
                                    std::pair(1, 48), std::pair(1, 128)}) {
    CAPTURE(id, threads);
    REQUIRE_THROWS_WITH(static_cast<void>(barriers.at(id, threads, {})), ContainsSubstring("use one of 0 to 15"));
  }
}

TEST_CASE("a grid that a thread of another grid runs ends, and the other goes on", "[host]") {
  using dma::host::detail::GridCounters;
  const GridCounters outer(1);
  {
    const GridCounters inner(1);
    REQUIRE(GridCounters::running() == &inner);
  }
  REQUIRE(GridCounters::running() == &outer);
}

TEST_CASE("4096 bytes at least are between the shared memories of a cluster, which are aligned to 1024", "[host]") {
  for (const std::size_t bytes : {1U, 1023U, 1024U, 1025U, 5000U}) {
    CAPTURE(bytes);
    const dma::host::detail::SharedMemory memory(bytes, 2);
    REQUIRE(memory.of_cta(1) - memory.of_cta(0) >= static_cast<std::ptrdiff_t>(bytes + 4096));
    REQUIRE(reinterpret_cast<std::uintptr_t>(memory.of_cta(1)) % 1024 == 0);
  }
}

TEST_CASE("lanes that came to sync_warp() alone are named with its line", "[host]") {
  const std::string at = "emulator_test.cpp:" + std::to_string(HalfSynchronizes::line);
  REQUIRE_THAT(message_of([] { dma::host::launch(HalfSynchronizes{}, {1}); }),
               ContainsSubstring("sync_warp() (" + at) &&
                   ContainsSubstring("cta.sync() (emulator_test.cpp:" + std::to_string(HalfSynchronizes::line + 2)));
}

TEST_CASE("lanes may come to a shuffle and to sync_warp() on lines of their own, and to no other step", "[host]") {
  using Step = dma::host::detail::WarpStep;
  const auto message = [](Step::Kind kind) {
    dma::host::detail::Convergence warp;
    return message_of([&] {
      warp.step(0, {.kind = kind, .caller = dma::machine::SourceLocation::here("kernel.hpp", 7, 1)});
      warp.step(1, {.kind = kind, .caller = dma::machine::SourceLocation::here("kernel.hpp", 9, 1)});
    });
  };
  REQUIRE(message(Step::Kind::shuffle).empty());
  REQUIRE(message(Step::Kind::sync_warp).empty());
  REQUIRE_THAT(message(Step::Kind::elect), ContainsSubstring("elect()"));
}

#if !defined(__SANITIZE_THREAD__)  // which keeps a timer's signal from a loop
TEST_CASE("the timer of a run is quick again after a run inside it", "[host]") {
  using Interruptions = dma::host::detail::Platform::Interruptions;
  static volatile int count;
  const auto waits_for_a_moment = [](bool) {
    count = count + 1;
    return true;
  };
  constexpr double slow = 0.05;
  const Interruptions outer(slow, waits_for_a_moment, nullptr);
  { const Interruptions inner(slow, waits_for_a_moment, nullptr); }
  count = 0;
  constexpr int enough = 100;
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(5 * slow * CLOCKS_PER_SEC);
  while (count < enough && std::clock() < end) {
  }
  REQUIRE(count >= enough);
}
#endif

TEST_CASE("named barriers are claimed by one pipeline at a time", "[host]") {
  PipelineLetters letters;
  const Site first{.pipeline = "First"};
  const Site second{.pipeline = "Second"};
  letters.add(first, nullptr);
  letters.add(second, nullptr);
  dma::host::detail::ClaimedBarriers claimed;
  claimed.claim(2, 3, first, letters);
  for (const int barrier : {2, 3, 4}) {
    REQUIRE_THAT(message_of([&] { claimed.claim(barrier, 1, second, letters); }),
                 ContainsSubstring("pipeline A and pipeline B, use named barrier " + std::to_string(barrier)));
  }
  REQUIRE_NOTHROW(claimed.claim(5, 1, second, letters));
  claimed.release(2, 3);
  REQUIRE_NOTHROW(claimed.claim(2, 3, second, letters));
}

TEST_CASE("pipelines have letters in the order of their construction, also after Z", "[host]") {
  const std::array<char, 64> shared{};
  PipelineLetters letters;
  std::vector<Site> sites;
  for (std::size_t i = 0; i < 30; ++i) {
    sites.push_back({.pipeline = "Pipe", .storage = shared.data() + i});
    letters.add(sites.back(), shared.data());
  }
  REQUIRE(letters.name_of(sites[0]) == "pipeline A");
  REQUIRE(letters.name_of(sites[25]) == "pipeline Z");
  REQUIRE(letters.name_of(sites[26]) == "pipeline A1");
  REQUIRE(letters.name_of({.pipeline = "Pipe", .storage = &letters}) == "pipeline E1");
  REQUIRE(letters.name_of({.pipeline = "Other", .storage = shared.data()}) == "pipeline F1");
  REQUIRE(letters.legend() ==
          "\n  pipeline A: Pipe, at byte 0 of shared memory\n  pipeline Z: Pipe, at byte 25 of shared memory"
          "\n  pipeline A1: Pipe, at byte 26 of shared memory\n  pipeline E1: Pipe\n  pipeline F1: Other");
}

TEST_CASE("the memory before the stack of a thread cannot be written", "[host]") {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  ssize_t below = 0;
  ssize_t within = 0;
  dma::host::detail::StackRange stack;
  dma::host::detail::Fiber* self = nullptr;
  dma::host::detail::Fiber fiber([&] {
    const auto* const first = reinterpret_cast<const char*>(stack.first);
    below = write(ends[1], first - 1, 1);
    within = write(ends[1], first, 1);
    self->suspend();
  });
  self = &fiber;
  stack = fiber.stack();
  fiber.resume();
  fiber.resume();
  REQUIRE(fiber.is_finished());
  REQUIRE((below == -1 && within == 1));
  REQUIRE((stack.contains(stack.first) && stack.contains(stack.first + stack.bytes - 1)));
  REQUIRE((!stack.contains(stack.first - 1) && !stack.contains(stack.first + stack.bytes)));
  close(ends[0]);
  close(ends[1]);
}

// One line of two files: the last lines of this one.
// clang-format off
namespace {
void PartsAtBarriers::meet(const dma::Cta& cta, bool is_half) {
  if (is_half) {
#line 1 "one.hpp"
    cta.sync();
  } else {
#line 1 "another.hpp"
    cta.sync();
  }
}
}  // namespace

TEST_CASE("a message on lanes that are apart names those that came and the one that did not", "[emulator]") {
  using dma::host::detail::Convergence;
  using dma::host::detail::WarpStep;
  const auto text = [](std::initializer_list<int> lanes) {
    Convergence warp(3);
    for (const int lane : lanes) {
      warp.step(lane, {.kind = WarpStep::Kind::elect, .caller = {}});
    }
    try {
      warp.step(31, {.kind = WarpStep::Kind::sync_cluster, .caller = {}});
    } catch (const dma::host::UnconvergedLanes& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  REQUIRE_THAT(text({0, 1, 2, 3}), ContainsSubstring("the lanes of warp 3") &&
                                       ContainsSubstring("lanes 0 to 3 came to elect() where lane 31 came to "
                                                         "cta.cluster_sync()"));
  REQUIRE_THAT(text({0, 2, 5}), ContainsSubstring("lanes 0, 2, 5 came to elect() where lane 31 came to"));
  REQUIRE_THAT(text({7}), ContainsSubstring("lane 7 came to elect() where lane 31 came to"));
}
