#include <dma/dma.hpp>
#include <dma/host/emulation/kernel_error.hpp>
#include <dma/host/emulation/thread_order.hpp>
#include <dma/host/launch.hpp>
#include <dma/kernel/cta.hpp>
#include <dma/machine/machine.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using dma::host::detail::ThreadOrder;

namespace {

/// Each thread writes down its number before each of two synchronizations.
struct WritesDownThreads {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  void operator()(dma::KernelCta<WritesDownThreads>& cta, std::vector<int>* first, std::vector<int>* second) const {
    first->push_back(cta.thread());
    cta.sync();
    second->push_back(cta.thread());
    cta.sync();
  }
};

/// The CTAs of a cluster write down their ranks three times, with a synchronization of the CTA behind each.
struct RunsFar {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  static constexpr dma::KernelTraits traits{.cluster = 2};
  void operator()(dma::KernelCta<RunsFar>& cta, std::vector<int>* ranks) const {
    for (int i = 0; i < 3; ++i) {
      if (cta.thread() == 0) {
        ranks->push_back(cta.cluster_rank());
      }
      cta.sync();
    }
  }
};

/// A thread starts two copies. Others look for them behind a synchronization, before the thread waits.
struct LooksForCopies {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  struct Shared {
    alignas(16) unsigned char words[2][4];
  };
  void operator()(dma::KernelCta<LooksForCopies>& cta, const unsigned* in, std::pair<bool, bool>* seen) const {
    auto& words = cta.shared<Shared>().words;
    const auto is_there = [&](int word) { return dma::machine::load_shared<4>(words[word], 0).part[0] == in[word]; };
    if (cta.thread() == 0) {
      for (int word = 0; word < 2; ++word) {
        dma::machine::copy_async<4, dma::CacheHints{}>(words[word], 0, reinterpret_cast<const unsigned char*>(in),
                                                       4 * word);
      }
    }
    cta.sync();
    if (cta.thread() == 32) {
      *seen = {is_there(0), is_there(1)};
    }
    cta.sync();
    dma::machine::wait_for_async_copies();
  }
};

/// One thread throws before others have begun.
template <int Cluster>
struct OneThrows {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  static constexpr dma::KernelTraits traits{.cluster = Cluster};
  void operator()(dma::KernelCta<OneThrows>& cta, int* began) const {
    ++*began;
    if (cta.thread() == 3) {
      throw std::runtime_error("thread 3");
    }
  }
};

/// Half of the second warp shuffles.
struct SecondWarpParts {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  void operator()(dma::KernelCta<SecondWarpParts>& cta) const {
    if (cta.warp() == 1 && cta.lane() < 16) {
      static_cast<void>(cta.shuffle(0, 0));
    }
  }
};

/// One of two arrivals at a phase barrier.
struct LeavesAnArrival {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  struct Shared {
    alignas(8) unsigned char barrier[8];
  };
  void operator()(dma::KernelCta<LeavesAnArrival>& cta) const {
    auto& barrier = cta.shared<Shared>().barrier;
    if (cta.thread() == 0) {
      dma::machine::phase_init(&barrier[0], 2);
      dma::machine::phase_arrive(&barrier[0], {});
    }
  }
};

std::pair<std::vector<int>, std::vector<int>> threads_in_order(unsigned seed) {
  std::pair<std::vector<int>, std::vector<int>> order;
  dma::host::launch({.seed = seed}, WritesDownThreads{}, {1}, &order.first, &order.second);
  return order;
}
std::pair<bool, bool> copies_seen(unsigned seed) {
  alignas(16) const std::array<unsigned, 2> in{0x1234, 0x5678};
  std::pair<bool, bool> seen;
  dma::host::launch({.seed = seed}, LooksForCopies{}, {1}, in.data(), &seen);
  return seen;
}

}  // namespace

TEST_CASE("threads run by rank, warp by warp, or shuffled in each round", "[host]") {
  std::vector<int> by_rank(64);
  std::iota(by_rank.begin(), by_rank.end(), 0);
  std::vector<int> last_warp_first = by_rank;
  std::rotate(last_warp_first.begin(), last_warp_first.begin() + 32, last_warp_first.end());
  REQUIRE(threads_in_order(0).first == by_rank);
  REQUIRE(threads_in_order(1).first == by_rank);
  REQUIRE(threads_in_order(2).first == last_warp_first);
  std::set<std::vector<int>> orders;
  for (unsigned seed = 5; seed < 35; seed += 3) {
    const auto [first, second] = threads_in_order(seed);
    orders.insert({first, second});
    REQUIRE(std::is_permutation(first.begin(), first.end(), by_rank.begin(), by_rank.end()));
  }
  REQUIRE(orders.size() == 20);
  REQUIRE(orders.count(by_rank) == 0);
}

TEST_CASE("seeds go through the orders of a few warps one after another", "[host]") {
  std::vector<int> next{0, 1, 2, 3};
  for (unsigned seed = 3; seed <= 66; seed += 3) {
    std::next_permutation(next.begin(), next.end());
    REQUIRE(ThreadOrder(seed, 4).warps() == next);
  }
  REQUIRE(ThreadOrder(69, 4).warps() == std::vector<int>{0, 1, 3, 2});
}

TEST_CASE("a warp goes on last when its stretch is over, and stretches have many lengths", "[host]") {
  std::set<int> lengths;
  for (unsigned seed = 4; seed < 100; seed += 3) {
    ThreadOrder order(seed, 3);
    REQUIRE(order.is_by_operation());
    for (int change = 0; change < 5; ++change) {
      const std::vector<int> before = order.warps();
      int length = 1;
      while (!order.change_after(before[0])) {
        ++length;
        REQUIRE(order.warps() == before);
      }
      lengths.insert(length);
      REQUIRE(order.warps() == std::vector<int>{before[1], before[2], before[0]});
    }
  }
  REQUIRE(lengths.size() > 20);
  REQUIRE(*lengths.rbegin() <= 256);
  REQUIRE(!ThreadOrder(3, 3).change_after(0));
}

TEST_CASE("the CTAs of a cluster run in rounds, or each as far as it can", "[host]") {
  std::vector<int> ranks;
  dma::host::launch({.seed = 0}, RunsFar{}, {2}, &ranks);
  REQUIRE(ranks == std::vector<int>{0, 1, 0, 1, 0, 1});
  ranks.clear();
  dma::host::launch({.seed = 1}, RunsFar{}, {2}, &ranks);
  REQUIRE(ranks == std::vector<int>{0, 0, 0, 1, 1, 1});
}

TEST_CASE("copies are made at once, late, or some of them at any time", "[host]") {
  REQUIRE(copies_seen(2) == std::pair(true, true));
  REQUIRE(copies_seen(6) == std::pair(true, true));
  REQUIRE(copies_seen(1) == std::pair(false, false));
  REQUIRE(copies_seen(3) == std::pair(false, false));
  REQUIRE(copies_seen(0) == std::pair(true, true));
  std::set<std::pair<bool, bool>> seen;
  for (unsigned seed = 5; seed < 200; seed += 3) {
    seen.insert(copies_seen(seed));
  }
  REQUIRE(seen.size() == 4);
}

TEST_CASE("no thread begins after one that threw", "[host]") {
  for (const unsigned seed : {0U, 1U}) {
    int began = 0;
    REQUIRE_THROWS_AS(dma::host::launch({.seed = seed}, OneThrows<1>{}, {1}, &began), std::runtime_error);
    REQUIRE(began == 4);
    REQUIRE_THROWS_AS(dma::host::launch({.seed = seed}, OneThrows<2>{}, {2}, &began), std::runtime_error);
    REQUIRE(began == 8);
  }
}

TEST_CASE("an error names the warp, and what is left at a barrier", "[host]") {
  REQUIRE_THROWS_WITH(dma::host::launch(SecondWarpParts{}, {1}), ContainsSubstring("the lanes of warp 1 are not"));
  REQUIRE_THROWS_AS(dma::host::launch(LeavesAnArrival{}, {1}), dma::host::PendingAtExit);
  REQUIRE_THROWS_WITH(dma::host::launch(LeavesAnArrival{}, {1}), ContainsSubstring("1 of 2 arrivals"));
}
