#include "host/proof/faulty_kernels.hpp"
#include "host/proof/long_kernels.hpp"

#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/thread_order.hpp>
#include <dma/host/launch.hpp>
#include <dma/machine/machine.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::MessageMatches;
using Catch::Matchers::StartsWith;
using dma::host::Deadlock;
using dma::host::KernelError;
using dma::host::detail::ThreadOrder;
using dma::proof::FindingKind;
using dma::proof::Verdict;

namespace {

/// Three warps; compute warp 1 waits for one tile too many where it does not see the flag that warp 0 sets. Warp 0 sets
/// it in its first tile and warp 1 reads it in its fourth: a warp that is three tiles ahead reads it too early.
struct ReadsRacingFlag {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Tile = dma::Sequential<float, 64>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 4>>;
  struct Shared {
    Pipe::Storage tiles;
    volatile int flag;
  };
  static constexpr int tiles = 6;

  void operator()(dma::KernelCta<ReadsRacingFlag>& cta, const float* in) const {
    auto& shared = cta.shared<Shared>();
    Pipe pipe(cta, shared.tiles);
    if (cta.thread() == 0) {
      shared.flag = 0;
    }
    cta.sync();
    if (pipe.is_dma()) {
      const auto dma = pipe.as_dma();
      for (int t = 0; t < tiles; ++t) {
        dma.load(in + t * Tile::count);
      }
      return;
    }
    const auto compute = pipe.as_compute();
    int waits = tiles;
    for (int t = 0; t < waits; ++t) {
      const auto tile = compute.wait();
      if (cta.thread() == 0) {
        shared.flag = 1;
      } else if (cta.warp() == 1 && t == 3 && shared.flag == 0) {
        ++waits;
      }
    }
  }
};

/// Warp 0 arrives at a named barrier and sets a flag after it; warp 1 meets it there, and waits for ever without the
/// flag.
struct SetsFlagAfterArrival {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  struct Shared {
    volatile int flag;
  };
  void operator()(dma::KernelCta<SetsFlagAfterArrival>& cta) const {
    volatile int& flag = cta.shared<Shared>().flag;
    if (cta.thread() == 0) {
      flag = 0;
    }
    cta.sync();
    if (cta.warp() == 0) {
      dma::machine::barrier_arrive(1, 64, {});
      flag = 1;
    } else {
      dma::machine::barrier_sync(1, 64, {});
      if (flag == 0) {
        dma::machine::barrier_sync(2, 64, {});
      }
    }
  }
};

/// All threads of a warp write one element of a tile; which of them was last decides what the CTA does next.
struct BranchesOnRace {
  using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
  using Tile = dma::Sequential<float, 64>;
  using Pipe = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Layout>>;
  struct Shared {
    Pipe::Storage tiles;
  };
  void operator()(dma::KernelCta<BranchesOnRace>& cta, const float* in) const {
    Pipe pipe(cta, cta.shared<Shared>().tiles);
    if (pipe.is_dma()) {
      pipe.as_dma().load(in);
      return;
    }
    const auto tile = pipe.as_compute().wait();
    tile[0] = static_cast<float>(cta.warp());
    dma::machine::sync_warp();
    dma::machine::barrier_sync(1, 64, {});
    if (tile[0] == 1) {
      dma::machine::barrier_sync(1, 64, {});
    }
  }
};

/// CTAs copy tiles, whose numbers they take from a counter in global memory.
struct TakesTilesFromCounter {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Tile = dma::Sequential<float, 64>;
  using Pipe = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Layout>>;
  struct Shared {
    Pipe::Storage tiles;
    int next;
  };
  void operator()(dma::KernelCta<TakesTilesFromCounter>& cta, const float* in, float* out, unsigned long long* counter,
                  int tiles) const {
    auto& shared = cta.shared<Shared>();
    Pipe pipe(cta, shared.tiles);
    while (true) {
      cta.sync();
      if (cta.thread() == 0) {
        shared.next = static_cast<int>(dma::machine::count(counter, 1));
      }
      cta.sync();
      const int tile = shared.next;
      if (tile >= tiles) {
        return;
      }
      if (pipe.is_dma()) {
        pipe.as_dma().load(in + tile * Tile::count);
      } else {
        const auto slot = pipe.as_compute().wait();
        for (int i = cta.lane(); i < Tile::count; i += 32) {
          out[tile * Tile::count + i] = slot[i];
        }
      }
    }
  }
};

/// Bulk stores of several slots: the DMA warp polls for the next tile before it waits for the read of the last one.
struct StoresTiles {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Tile = dma::Sequential<float, 64>;
  using Pipe = dma::DmaPipeline<dma::Store<Tile>, dma::MultiBuffer<Layout, 3>, dma::CudaBarrier, dma::BulkCopy<>>;
  struct Shared {
    Pipe::Storage tiles;
  };
  void operator()(dma::KernelCta<StoresTiles>& cta, float* out, int tiles) const {
    Pipe pipe(cta, cta.shared<Shared>().tiles);
    pipe.for_each_tile(
        {.last = tiles}, [&](const auto& dma, int t) { dma.store(out + t * Tile::count); },
        [&](const auto& compute, int t) {
          const auto slot = compute.wait();
          for (int i = cta.lane(); i < Tile::count; i += 32) {
            slot[i] = static_cast<float>(t);
          }
        });
  }
};

/// The CTAs but the first do what the first has left in global memory.
struct FollowsFirstCta {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  void operator()(dma::KernelCta<FollowsFirstCta>& cta, int* meetings) const {
    if (cta.block().x == 0) {
      *meetings = 1;
    }
    for (int i = 0; i < *meetings; ++i) {
      cta.sync();
    }
  }
};

/// Each CTA synchronizes, and one of the grid waits for ever.
struct OneCtaWaits {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  void operator()(dma::KernelCta<OneCtaWaits>& cta, int which) const {
    cta.sync();
    if (cta.block().x == which && cta.warp() == 0) {
      cta.sync();
    }
  }
};

/// Warp 1 sets a flag, or adds to a counter, and the other one loops until it is there.
struct SpinsOnFlag {
  enum class Loop { on_memory, on_count };
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  struct Shared {
    volatile int flag;
  };
  void operator()(dma::KernelCta<SpinsOnFlag>& cta, Loop loop, unsigned long long* count) const {
    volatile int& flag = cta.shared<Shared>().flag;
    if (cta.thread() == 0) {
      flag = 0;
    }
    cta.sync();
    if (cta.warp() == 1) {
      flag = 1;
      static_cast<void>(dma::machine::count(count, 1));
    } else if (loop == Loop::on_memory) {
      while (flag == 0) {
      }
    } else {
      while (dma::machine::read_count(count) == 0) {
      }
    }
    cta.sync();
  }
};

/// Tiles of `loads` are loaded, and those of `uses` are used: a bit each. Tile 3 is the last and short.
struct SkipsTiles {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Tile = dma::Sequential<float, 32>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  struct Shared {
    Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<SkipsTiles>& cta, const float* in, float* out, unsigned loads, unsigned uses) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    for (int t = 0; t < 4; ++t) {
      const Tile tile{t < 3 ? 32 : 20};
      if (pipe.is_dma() && (loads >> t & 1) != 0) {
        pipe.as_dma().load(in + 32 * t, tile);
      } else if (pipe.is_compute() && (uses >> t & 1) != 0) {
        const auto slot = pipe.as_compute().wait(tile);
        if (cta.lane() < tile.size()) {
          out[32 * t + cta.lane()] = slot[cta.lane()];
        }
      }
    }
  }
};

/// Each thread writes one element of each of `rounds` rounds, and reads another array.
struct WritesElements {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  void operator()(dma::KernelCta<WritesElements>& cta, const float* in, float* out, int rounds) const {
    for (int round = 0; round < rounds; ++round) {
      out[32 * round + cta.lane()] = in[cta.lane()] + 1;
    }
  }
};

/// A CTA whose warps meet again and again.
struct MeetsOften {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  void operator()(dma::KernelCta<MeetsOften>& cta, int times) const {
    for (int i = 0; i < times; ++i) {
      cta.sync();
    }
  }
};

struct BreaksARule {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  void operator()(dma::KernelCta<BreaksARule>& cta) const { DMA_EXPECTS(cta.warp() > 1, "dma: the rule"); }
};

/// Its only compute warp reads what other lanes of it write, without an order.
struct MirrorsInAWarp {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;
  using Tile = dma::Sequential<float, 32>;
  using Pipe = dma::DmaPipeline<Tile, dma::SingleBuffer<Layout>>;
  struct Shared {
    Pipe::Storage storage;
  };
  void operator()(dma::KernelCta<MirrorsInAWarp>& cta, const float* x, float* y, bool is_ordered) const {
    Pipe pipe(cta, cta.shared<Shared>().storage);
    pipe.for_each_tile(
        {.last = 2}, [&](const auto& dma, int t) { dma.load(x + t * Tile::count); },
        [&](const auto& compute, int t) {
          const auto tile = compute.wait();
          tile[compute.rank()] += 1;
          if (is_ordered) {
            cta.sync_warp();
          }
          y[t * Tile::count + compute.rank()] = tile[31 - compute.rank()];
        });
  }
};

/// A tile of the first pipeline for each of the second, which has more slots, and one for all of them.
struct HasTwoRings {
  using Layout = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>, dma::Dma<1>, dma::Dma<1>>;
  using Tile = dma::Sequential<float, 64>;
  using Small = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 1, dma::DmaGroups{.first = 0}>>;
  using Large = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 3, dma::DmaGroups{.first = 1}>>;
  using Once = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 2}>>;
  struct Shared {
    Small::Storage small;
    Large::Storage large;
    Once::Storage once;
  };
  void operator()(dma::KernelCta<HasTwoRings>& cta, const float* in, int tiles) const {
    auto& shared = cta.shared<Shared>();
    Small small(cta, shared.small);
    Large large(cta, shared.large);
    Once once(cta, shared.once);
    if (once.is_dma()) {
      once.as_dma().load(in);
    } else if (!small.is_dma() && !large.is_dma()) {
      static_cast<void>(once.as_compute().wait());
    }
    for (int t = 0; t < tiles; ++t) {
      if (small.is_dma()) {
        small.as_dma().load(in);
      } else if (large.is_dma()) {
        large.as_dma().load(in);
      } else if (!once.is_dma()) {
        static_cast<void>(small.as_compute().wait());
        static_cast<void>(large.as_compute().wait());
      }
    }
  }
};

alignas(16) const std::array<float, 8 * 64> input{};

std::set<std::vector<int>> orders(int warps, unsigned last_seed) {
  std::set<std::vector<int>> found;
  for (unsigned seed = 1; seed <= last_seed; ++seed) {
    if (seed < 3 || seed % 3 == 0) {
      found.insert(ThreadOrder(seed, warps).warps());
    }
  }
  return found;
}

}  // namespace

TEST_CASE("all orders of few warps come up among the seeds", "[proof][schedules]") {
  REQUIRE(orders(2, 2).size() == 2);
  REQUIRE(orders(3, 12).size() == 6);
  REQUIRE(orders(4, 66).size() == 24);
  REQUIRE(ThreadOrder(1, 5).warps() == std::vector<int>{0, 1, 2, 3, 4});
  REQUIRE(ThreadOrder(2, 5).warps() == std::vector<int>{4, 3, 2, 1, 0});
}

TEST_CASE("a branch on a racing flag is found by a warp that runs ahead", "[proof][schedules]") {
  for (unsigned seed = 2; seed < 60; seed += 3) {
    const unsigned in_lock_step = seed == 2 ? 0 : seed;
    REQUIRE_NOTHROW(dma::host::launch({.seed = in_lock_step}, ReadsRacingFlag{}, {1}, input.data()));
  }
  const Verdict verdict = dma::proof::prove(ReadsRacingFlag{}, {1}, input.data());
  CAPTURE(verdict);
  REQUIRE(verdict.kind == FindingKind::deadlock);
  REQUIRE_THROWS_AS(dma::host::launch({.seed = verdict.seed}, ReadsRacingFlag{}, {1}, input.data()), Deadlock);
}

TEST_CASE("a thread is interrupted between an arrival and what follows it", "[proof][schedules]") {
  const Verdict verdict = dma::proof::prove({.seeds = 12}, SetsFlagAfterArrival{}, {1});
  CAPTURE(verdict);
  REQUIRE(verdict.kind == FindingKind::deadlock);
  REQUIRE_THROWS_AS(dma::host::launch({.seed = verdict.seed}, SetsFlagAfterArrival{}, {1}), Deadlock);
}

TEST_CASE("a race is reported before the differences that it makes", "[proof][schedules]") {
  const Verdict verdict = dma::proof::prove(BranchesOnRace{}, {1}, input.data());
  CAPTURE(verdict);
  REQUIRE(verdict.kind == FindingKind::race);
  REQUIRE_THAT(verdict.message, ContainsSubstring("schedules_test.cpp"));
}

TEST_CASE("CTAs that share work through a counter are proved for the runs that were made", "[proof][schedules]") {
  std::vector<float> in(8 * 64);
  std::iota(in.begin(), in.end(), 0.0F);
  std::vector<float> out(8 * 64);
  std::vector<unsigned long long> counter(1);
  const dma::proof::Options options{.inputs = {dma::proof::input(in)},
                                    .outputs = {dma::proof::output(out), dma::proof::output(counter)}};
  const Verdict verdict =
      dma::proof::prove(options, TakesTilesFromCounter{}, {3}, in.data(), out.data(), counter.data(), 8);
  CAPTURE(verdict);
  REQUIRE(verdict.is_proved());
  REQUIRE_THAT(verdict.reservation, ContainsSubstring("for the values of counters that"));
  std::ostringstream text;
  text << verdict;
  const std::string printed = text.str();
  REQUIRE_THAT(printed.substr(0, printed.find('\n')), EndsWith("), orders of atomics not explored"));
  REQUIRE_THAT(printed, !ContainsSubstring("no schedule"));
}

TEST_CASE("a kernel whose polls tell what it does next has no reservation about counters", "[proof][schedules]") {
  alignas(16) std::array<float, 8 * 64> out{};
  const Verdict verdict = dma::proof::prove({.outputs = {dma::proof::output(out)}}, StoresTiles{}, {1}, out.data(), 8);
  CAPTURE(verdict);
  REQUIRE(verdict.is_proved());
  REQUIRE(verdict.not_judged.count(dma::proof::detail::orders_of_atomics) == 0);
  REQUIRE_THAT(verdict.reservation, StartsWith("for the results of polls that"));
}

TEST_CASE("a verdict over many proofs has what any of them leaves open", "[proof][schedules]") {
  Verdict all;
  const auto name = [] { return std::string("one"); };
  dma::proof::detail::add_verdict(all, {.not_judged = {"one thing"}}, name);
  dma::proof::detail::add_verdict(all, {.not_judged = {"another thing"}}, name);
  dma::proof::detail::add_verdict(all, {}, name);
  std::ostringstream text;
  text << all;
  REQUIRE_THAT(text.str(), ContainsSubstring("), another thing, one thing\n"));
}

TEST_CASE("a CTA that depends on the order of CTAs is refused", "[proof][schedules]") {
  int meetings = 0;
  const dma::proof::Options options{.outputs = {dma::proof::output(&meetings, 1)}};
  const Verdict verdict = dma::proof::prove(options, FollowsFirstCta{}, {2}, &meetings);
  CAPTURE(verdict);
  REQUIRE(verdict.kind == FindingKind::depends_on_schedule);
  REQUIRE(verdict.seed == 1);
}

TEST_CASE("each CTA of a grid is judged", "[proof][schedules]") {
  for (const int which : {0, 1, 2}) {
    CAPTURE(which);
    REQUIRE(dma::proof::prove(OneCtaWaits{}, {3}, which).kind == FindingKind::deadlock);
    REQUIRE(dma::proof::explore(OneCtaWaits{}, {3}, which).kind == FindingKind::deadlock);
  }
  REQUIRE(dma::proof::prove(OneCtaWaits{}, {3}, 3).is_proved());
}

TEST_CASE("a verdict says what a proof claims and what it did not watch", "[proof][schedules]") {
  std::ostringstream text;
  text << dma::proof::prove(OneCtaWaits{}, {3}, 3);
  REQUIRE_THAT(text.str(), ContainsSubstring("for these arguments, this grid and these operations, no schedule"));
  REQUIRE_THAT(text.str(), ContainsSubstring("not watched: "));
  std::ostringstream fault;
  fault << dma::proof::prove(OneCtaWaits{}, {3}, 1);
  REQUIRE_THAT(fault.str(), !ContainsSubstring("no schedule has"));
}

TEST_CASE("sides that skip different tiles are found by their number, their shapes or the output",
          "[proof][schedules]") {
  alignas(16) std::array<float, 128> in{};
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<float>(i + 1);
  }
  std::array<float, 128> out{};
  const auto verdict = [&](unsigned loads, unsigned uses) {
    return dma::proof::prove({.outputs = {dma::proof::output(out)}}, SkipsTiles{}, {1}, in.data(), out.data(), loads,
                             uses);
  };
  REQUIRE(verdict(0b1011, 0b1011).is_proved());
  REQUIRE(verdict(0b1011, 0b0011).kind == FindingKind::unused_tile);
  REQUIRE(verdict(0b0011, 0b1011).kind == FindingKind::deadlock);
  REQUIRE(verdict(0b1011, 0b0111).kind == FindingKind::broken_contract);
  // The gap that docs/trust/proof.md names: the tiles have one shape, so that the output alone shows it.
  REQUIRE(verdict(0b0011, 0b0101).is_proved());
  dma::host::launch(SkipsTiles{}, {1}, in.data(), out.data(), 0b0011U, 0b0101U);
  REQUIRE(out[64] == in[32]);
}

TEST_CASE("runs that do nothing prove nothing", "[proof][schedules]") {
  using Pipe = dma::DmaPipeline<dma::Sequential<float, 32>, dma::MultiBuffer<OneCtaWaits::Layout, 1>>;
  std::array<float, 32> in{};
  std::array<float, 256> out{};
  const auto prove = [&](int rounds) {
    return dma::proof::prove({.outputs = {dma::proof::output(out)}}, WritesElements{}, {2}, in.data(), out.data(),
                             rounds);
  };
  const Verdict nothing = prove(0);
  CAPTURE(nothing);
  REQUIRE(nothing.kind == FindingKind::nothing_done);
  REQUIRE_THAT(nothing.message, ContainsSubstring("no run moved a tile, met a barrier or wrote what is watched"));
  REQUIRE(prove(1).is_proved());
  REQUIRE(dma::proof::prove(MeetsOften{}, {1}, 0).kind == FindingKind::nothing_done);
  REQUIRE(dma::proof::prove(MeetsOften{}, {1}, 1).is_proved());
  REQUIRE(dma::proof::explore(MeetsOften{}, {1}, 0).kind == FindingKind::nothing_done);
  REQUIRE(dma::proof::prove(BreaksARule{}, {1}).kind == FindingKind::broken_contract);
  // One case of several may have nothing to do.
  REQUIRE(dma::proof::for_all_trips<Pipe>(prove).is_proved());
  REQUIRE(dma::proof::for_all_trips<Pipe>([&](int) { return prove(0); }).kind == FindingKind::nothing_done);
  REQUIRE(dma::proof::for_all_masks<2>([&](unsigned skipped) { return prove(skipped == 1 ? 1 : 0); }).is_proved());
  REQUIRE(dma::proof::for_all_masks<2>([&](unsigned) { return prove(0); }).kind == FindingKind::nothing_done);
}

TEST_CASE("a proof of nothing is an error", "[proof][schedules]") {
  const auto expect_error = [](const dma::proof::Options& options, dma::Index3 grid, const char* message) {
    REQUIRE_THROWS_MATCHES(dma::proof::prove(options, OneCtaWaits{}, grid, 0), KernelError,
                           MessageMatches(ContainsSubstring(message)));
    REQUIRE_THROWS_MATCHES(dma::proof::explore(options, OneCtaWaits{}, grid, 0), KernelError,
                           MessageMatches(ContainsSubstring(message)));
  };
  expect_error({.seeds = 0}, {1}, "set dma::proof::Options::seeds to at least 1");
  expect_error({.seeds = -1}, {1}, "set dma::proof::Options::seeds to at least 1");
  expect_error({}, {0}, "the grid is empty");
  expect_error({}, {1, 0}, "the grid is empty");
  expect_error({}, {1, 1, 0}, "the grid is empty");
  REQUIRE_THROWS_AS(dma::host::launch(OneCtaWaits{}, {1, 0}, 1), KernelError);
}

TEST_CASE("a kernel that spins on its own flag is refused", "[proof][schedules]") {
  using Loop = SpinsOnFlag::Loop;
  unsigned long long count = 0;
  const dma::proof::Options options{.outputs = {dma::proof::output(&count, 1)}, .limits = {.seconds = 0.1}};
  const Verdict on_memory = dma::proof::prove(options, SpinsOnFlag{}, {1}, Loop::on_memory, &count);
  CAPTURE(on_memory);
  REQUIRE(on_memory.kind == FindingKind::spinning);
  REQUIRE_THAT(on_memory.message, ContainsSubstring("block (0, 0, 0), thread 31") &&
                                      ContainsSubstring("a thread ran too long without a wait of the library"));
  const Verdict on_count = dma::proof::prove(options, SpinsOnFlag{}, {1}, Loop::on_count, &count);
  CAPTURE(on_count);
  REQUIRE(on_count.kind == FindingKind::spinning);

  REQUIRE_THROWS_AS(
      dma::host::launch({.seed = on_memory.seed, .spin_seconds = 0.1}, SpinsOnFlag{}, {1}, Loop::on_memory, &count),
      dma::host::Spin);
  // In this order the flag is there before the loop: the threads of the launch before have left nothing behind.
  REQUIRE_NOTHROW(dma::host::launch(SpinsOnFlag{}, {1}, Loop::on_memory, &count));
}

TEST_CASE("the seconds of a proof bound its runs", "[proof][schedules]") {
  const auto start = std::chrono::steady_clock::now();
  const Verdict verdict = dma::proof::prove({.limits = {.seconds = 0.05}}, MeetsOften{}, {1}, 1'000'000'000);
  CAPTURE(verdict);
  REQUIRE(verdict.kind == FindingKind::out_of_time);
  REQUIRE(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
  const Verdict many = dma::proof::prove({.seeds = 1'000'000'000, .limits = {.seconds = 0.05}}, MeetsOften{}, {2}, 10);
  CAPTURE(many);
  REQUIRE(many.kind == FindingKind::out_of_time);
  REQUIRE_THAT(many.message, ContainsSubstring("of 1000000000, after "));
}

TEST_CASE("a race inside a warp says why it has no schedule", "[proof][schedules]") {
  alignas(16) float x[64] = {};
  float y[64] = {};
  const Verdict races = dma::proof::prove(MirrorsInAWarp{}, {1}, &x[0], &y[0], false);
  CAPTURE(races);
  REQUIRE(races.kind == FindingKind::race);
  REQUIRE(races.timeline.steps.empty());
  REQUIRE_THAT(races.message,
               EndsWith("; both are lanes of one warp, and a schedule is of warps, so that none is drawn; "
                        "call cta.sync_warp() between the accesses; where other warps use this memory too, "
                        "compute.sync(), or cta.sync() outside of roles"));
  REQUIRE(dma::proof::prove(MirrorsInAWarp{}, {1}, &x[0], &y[0], true).is_proved());
}

TEST_CASE("all numbers of tiles are those of the largest ring", "[proof][schedules]") {
  using Kernel = HasTwoRings;
  const auto judge = [](int tiles) { return dma::proof::prove({.seeds = 1}, Kernel{}, {1}, input.data(), tiles); };
  const Verdict of_small = dma::proof::for_all_trips<Kernel::Small>(judge);
  CAPTURE(of_small);
  REQUIRE(of_small.kind == FindingKind::few_tiles);
  REQUIRE_THAT(of_small.message, ContainsSubstring("a pipeline of 3 slots moved 4 tiles at most") &&
                                     ContainsSubstring("a proof of any number needs 10"));
  const Verdict of_both = dma::proof::for_all_trips<Kernel::Small, Kernel::Large>(judge);
  CAPTURE(of_both);
  REQUIRE(of_both.is_proved());
  REQUIRE(dma::proof::for_all_trips<Kernel::Large>(judge).is_proved());
}

TEST_CASE("a proof takes time linear in the tiles", "[proof][schedules]") { long_kernels::expect_linear(); }
