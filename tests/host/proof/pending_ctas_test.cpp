#include <dma/dma.hpp>
#include <dma/host/launch.hpp>
#include <dma/kernel/pending_ctas.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>
#include <dma/proof/replay.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using dma::proof::IsProved;

/// Each tile: where it was moved, and as which tile of that CTA.
using Place = std::array<int, 2>;

/// y = 2 x + tile, and where each tile was moved.
template <class Layout_, int Slots, int Ahead, int Ctas>
struct Moves {
  using Layout = Layout_;
  using Tile = dma::Sequential<int, 4>;
  using Pipe = dma::DmaPipeline<Tile, dma::MultiBuffer<Layout, 2>>;
  using Queue = dma::TileQueue<Layout, Slots, Ahead, dma::PendingCtas<Ctas>>;
  struct Shared {
    typename Pipe::Storage storage;
    typename Queue::Storage queue;
  };
  static constexpr dma::KernelTraits traits{.cluster = Ctas};

  void operator()(dma::KernelCta<Moves>& cta, const int* x, int* y, Place* places) const {
    auto& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.storage);
    Queue queue(cta, shared.queue);
    int moved = 0;
    const auto use = [&](int t) {
      const auto compute = pipe.as_compute();
      const auto slot = compute.wait();
      for (int i = compute.rank(); i < Tile::count; i += compute.size()) {
        y[t * Tile::count + i] = 2 * slot[i] + t;
      }
      if (compute.rank() == 0) {
        places[t] = {cta.block().x, moved++};
      }
    };
    if constexpr (!Layout::is_specialized) {
      for (const int t : queue) {
        pipe.as_dma().load(x + t * Tile::count);
        use(t);
      }
    } else if (pipe.is_dma()) {
      for (const int t : queue) {
        pipe.as_dma().load(x + t * Tile::count);
      }
    } else {
      for (const int t : queue) {
        use(t);
      }
    }
  }
};
using OneGroup = dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>;

template <class Kernel>
struct Arrays {
  std::vector<int> x, y;
  std::vector<Place> places;

  explicit Arrays(int tiles)
      : x(static_cast<std::size_t>(tiles) * 4), y(x.size(), -1), places(static_cast<std::size_t>(tiles)) {
    std::iota(x.begin(), x.end(), 1);
  }
  void launch(unsigned seed, long long order) {
    std::fill(y.begin(), y.end(), -1);
    dma::host::launch({.seed = seed, .cancellations = order}, Kernel{}, {static_cast<int>(places.size())}, x.data(),
                      y.data(), places.data());
  }
  [[nodiscard]] dma::proof::Verdict prove(long long order) {
    return dma::proof::prove({.cancellations = order,
                              .inputs = {dma::proof::input(x)},
                              .outputs = {dma::proof::output(y), dma::proof::output(places)}},
                             Kernel{}, {static_cast<int>(places.size())}, x.data(), y.data(), places.data());
  }
  [[nodiscard]] bool are_right() const {
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (y[i] != 2 * static_cast<int>(i + 1) + static_cast<int>(i / 4)) {
        return false;
      }
    }
    return true;
  }
};

/// One CTA asks for others by hand, with a mistake.
struct Asks {
  enum class Mistake { none, asks_again, queries_failure, does_not_wait };

  using Layout = dma::WarpLayout<dma::Compute<1>>;
  struct Shared {
    alignas(16) unsigned char response[16];
    dma::PhaseBarrier<>::State barrier;
  };

  Mistake mistake = Mistake::none;

  void operator()(dma::KernelCta<Asks>& cta, int* begun) const {
    auto& shared = cta.shared<Shared>();
    dma::PhaseBarrier<> barrier(cta, shared.barrier, 1);
    bool is_cancelled = true;
    for (int tile = cta.block().x; is_cancelled;) {
      if (cta.thread() == 0) {
        begun[tile] += 1;
        barrier.expect(16);
        dma::machine::cancel_cluster<1>(shared.response, &shared.barrier);
      }
      if (mistake != Mistake::does_not_wait) {
        barrier.wait();
      }
      const auto response = dma::machine::load_shared<16>(shared.response, 0);
      is_cancelled = dma::machine::is_cancelled(response);
      if (is_cancelled || mistake == Mistake::queries_failure) {
        tile = dma::machine::first_cancelled(response).x;
      }
      barrier.fence();
      cta.sync_warp();
    }
    if (mistake == Mistake::asks_again && cta.thread() == 0) {
      dma::machine::cancel_cluster<1>(shared.response, &shared.barrier);
    }
  }
};

/// Waits for a count of all CTAs, some of which never begin.
struct Counts {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  using Queue = dma::TileQueue<Layout, 2, 1, dma::PendingCtas<>>;
  struct Shared {
    Queue::Storage queue;
    dma::ArrivalCounter last;
  };
  void operator()(dma::KernelCta<Counts>& cta, dma::ArrivalCounter* counter) const {
    auto& shared = cta.shared<Shared>();
    Queue queue(cta, shared.queue);
    for ([[maybe_unused]] const int tile : queue) {
    }
    static_cast<void>(dma::is_last_cta(cta, *counter, cta.blocks().x, shared.last));
  }
};

/// CTA 0 asks for CTA 1, two warps of which write one word.
struct Races {
  using Layout = dma::WarpLayout<dma::Compute<2>>;
  using Queue = dma::TileQueue<Layout, 2, 1, dma::PendingCtas<>>;
  struct Shared {
    Queue::Storage queue;
    int word;
  };

  void operator()(dma::KernelCta<Races>& cta, int* begun) const {
    auto& shared = cta.shared<Shared>();
    if (cta.thread() == 0) {
      begun[cta.block().x] = 1;
    }
    if (cta.block().x == 0) {
      Queue queue(cta, shared.queue);
      for ([[maybe_unused]] const int tile : queue) {
      }
    } else if (cta.lane() == 0) {
      dma::machine::touched(&shared.word, 4, dma::machine::Access::write);
      shared.word = cta.thread();
    }
  }
};

/// Each CTA asks so many times at once.
struct AsksAhead {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  struct Shared {
    alignas(16) unsigned char responses[2][16];
    dma::PhaseBarrier<>::State barrier;
  };

  int requests;
  bool counts = false;  ///< it reads a counter of the grid too

  void operator()(dma::KernelCta<AsksAhead>& cta, int* begun) const {
    auto& shared = cta.shared<Shared>();
    dma::PhaseBarrier<> barrier(cta, shared.barrier, 1);
    if (cta.thread() == 0) {
      barrier.expect(16 * requests);
      for (int i = 0; i < requests; ++i) {
        dma::machine::cancel_cluster<1>(shared.responses[i], &shared.barrier);
      }
      begun[cta.block().x] += 1;
      if (counts) {
        dma::machine::host_model::report_count(1);
      }
    }
    barrier.wait();
    for (int i = 0; i < requests; ++i) {
      const auto response = dma::machine::load_shared<16>(shared.responses[i], 0);
      if (cta.thread() == 0 && dma::machine::is_cancelled(response)) {
        begun[dma::machine::first_cancelled(response).x] += 1;
      }
    }
  }
};
/// How many orders there are of CTAs that ask so many times each, when so many have not begun: when one of them is to
/// begin, and when one that runs has so many requests left, where a failure of the last one has chosen the next.
[[nodiscard]] long begin_each(int left, int requests);
[[nodiscard]] long ask_each(int left, int requests, int more, bool has_failed) {
  if (left == 0) {
    return 1;
  }
  if (more == 0) {
    return has_failed ? ask_each(left - 1, requests, requests, false) : begin_each(left, requests);
  }
  return left * ask_each(left - 1, requests, more - 1, false) +
         (has_failed ? 1 : left) * ask_each(left, requests, more - 1, true);
}
long begin_each(int left, int requests) { return left == 0 ? 1 : left * ask_each(left - 1, requests, requests, false); }

/// Is wrong where a CTA has tiles 2, 3, 0 and 1 in this order.
struct FailsOnce {
  using Layout = dma::WarpLayout<dma::Compute<1>>;
  using Queue = dma::TileQueue<Layout, 2, 1, dma::PendingCtas<>>;
  struct Shared {
    Queue::Storage queue;
  };

  void operator()(dma::KernelCta<FailsOnce>& cta, int* moved) const {
    Queue queue(cta, cta.shared<Shared>().queue);
    int tiles = 0;
    for (const int tile : queue) {
      tiles = 10 * tiles + tile;
      if (cta.thread() == 0) {
        moved[tile] = tiles == 2301 ? 2 : 1;
      }
    }
  }
};

/// n! 2^(n - 1).
[[nodiscard]] long long orders_of(int clusters) { return clusters <= 1 ? 1 : 2LL * clusters * orders_of(clusters - 1); }

/// Each tile is moved once, by itself or behind others of a CTA, in every way.
template <class Kernel>
void move_in_every_order(int most_clusters, int ctas, const std::vector<std::size_t>& ways) {
  for (int clusters = 1; clusters <= most_clusters; ++clusters) {
    Arrays<Kernel> arrays(clusters * ctas);
    std::set<std::vector<Place>> found;
    for (long long order = 0; order < orders_of(clusters); ++order) {
      arrays.launch(static_cast<unsigned>(order % 7), order);
      if (!arrays.are_right()) {
        FAIL(clusters << " clusters, order " << order);
      }
      found.insert(arrays.places);
    }
    INFO(clusters << " clusters of " << ctas);
    CHECK(found.size() == ways[static_cast<std::size_t>(clusters - 1)]);
  }
}
template <class Kernel>
void prove_every_order(int most_clusters, int ctas) {
  for (int clusters = 1; clusters <= most_clusters; ++clusters) {
    for (long long order = 0; order < orders_of(clusters); ++order) {
      INFO(clusters << " clusters, order " << order);
      const dma::proof::Verdict verdict = Arrays<Kernel>(clusters * ctas).prove(order);
      if (!verdict.is_proved() || !verdict.reservation.empty()) {
        CHECK_THAT(verdict, IsProved());
        CHECK(verdict.reservation == "");
        return;
      }
    }
  }
}

}  // namespace

TEST_CASE("tiles of CTAs that have not begun are moved once, in every order of their cancellation", "[pending]") {
  // Sets of lists of 1, 2, 3 and 4 clusters: 1, 3, 13, 73 (OEIS A000262).
  move_in_every_order<Moves<OneGroup, 2, 1, 1>>(4, 1, {1, 3, 13, 73});
  move_in_every_order<Moves<OneGroup, 1, 1, 2>>(3, 2, {1, 3, 13});
}

TEST_CASE("requests that are on their way when one fails are still answered", "[pending]") {
  Arrays<Moves<OneGroup, 3, 3, 1>> arrays(5);
  bool moves_behind_failure = false;
  for (long long order = 0; order < 4000; ++order) {
    arrays.launch(0, order);
    if (!arrays.are_right()) {
      FAIL("order " << order);
    }
    // Of a first CTA that takes all others: two requests of three have failed in some order.
    moves_behind_failure = moves_behind_failure || arrays.places[4][1] == 4;
  }
  CHECK(moves_behind_failure);
}

TEST_CASE("tiles of CTAs that have not begun are proved, in every order of their cancellation", "[pending]") {
  prove_every_order<Moves<OneGroup, 1, 1, 1>>(3, 1);
  prove_every_order<Moves<dma::WarpLayout<dma::Compute<2>>, 2, 2, 1>>(3, 1);
  prove_every_order<Moves<OneGroup, 2, 1, 2>>(2, 2);
}

TEST_CASE("requests against the rules of the instructions are found", "[pending]") {
  const auto message = [](Asks::Mistake mistake) {
    std::vector<int> begun(3);
    return dma::proof::prove({.cancellations = 0, .outputs = {dma::proof::output(begun)}}, Asks{mistake}, {3},
                             begun.data())
        .message;
  };
  CHECK(message(Asks::Mistake::none) == "");
  CHECK_THAT(message(Asks::Mistake::asks_again), ContainsSubstring("has seen such a request fail"));
  CHECK_THAT(message(Asks::Mistake::queries_failure), ContainsSubstring("the response names no cluster"));
  CHECK_THAT(message(Asks::Mistake::does_not_wait), ContainsSubstring("these 16 bytes are no response"));
}

TEST_CASE("a count of CTAs some of which are cancelled is found", "[pending]") {
  dma::ArrivalCounter counter{};
  CHECK_THROWS_MATCHES(dma::host::launch({.cancellations = 0}, Counts{}, {3}, &counter), dma::host::KernelError,
                       MessageMatches(ContainsSubstring("its counter is 1 after the last CTA and not zero")));
}

TEST_CASE("a proof of few CTAs is for every order of their cancellation", "[pending]") {
  const auto claim = [](long long orders) {
    return "every order in which its CTAs begin or are cancelled (" + std::to_string(orders) + ")";
  };
  for (int clusters = 1; clusters <= 4; ++clusters) {
    std::vector<int> begun(static_cast<std::size_t>(clusters));
    const auto prove = [&](const auto& kernel) {
      const dma::proof::Verdict verdict =
          dma::proof::prove({.outputs = {dma::proof::output(begun)}}, kernel, {clusters}, begun.data());
      CHECK_THAT(verdict, IsProved());
      CHECK(verdict.reservation == "");
      CHECK(verdict.not_judged.count("orders of atomics not explored") == 0);
      return verdict.claim;
    };
    CHECK(prove(Asks{}) == claim(orders_of(clusters)));
    for (const int requests : {1, 2}) {
      CHECK(prove(AsksAhead{requests}) == claim(begin_each(clusters, requests)));
    }
  }
  std::vector<int> begun(2);
  CHECK(dma::proof::prove({.outputs = {dma::proof::output(begun)}}, AsksAhead{1, true}, {2}, begun.data())
            .not_judged.count("orders of atomics not explored") == 1);
  Arrays<Moves<OneGroup, 2, 1, 2>> arrays(6);
  const dma::proof::Verdict verdict =
      dma::proof::prove({.outputs = {dma::proof::output(arrays.y)}, .has_other_arrays = true},
                        Moves<OneGroup, 2, 1, 2>{}, {6}, arrays.x.data(), arrays.y.data(), arrays.places.data());
  CHECK_THAT(verdict, IsProved());
  CHECK(verdict.claim == claim(24));
}

TEST_CASE("a proof by seeds says that responses depend on the schedule", "[pending]") {
  const auto prove = [](int ctas, long executions) {
    std::vector<int> begun(static_cast<std::size_t>(ctas));
    return dma::proof::prove({.outputs = {dma::proof::output(begun)}, .limits = {.executions = executions}}, Asks{},
                             {ctas}, begun.data());
  };
  for (const dma::proof::Verdict& verdict : {prove(3, 23), prove(6, 1000)}) {
    CHECK_THAT(verdict, IsProved());
    CHECK(verdict.claim == "");
    CHECK_THAT(verdict.reservation,
               ContainsSubstring("for the responses to requests for CTAs that have not begun that"));
    CHECK_THAT(verdict.reservation, !ContainsSubstring("counters"));
    CHECK(verdict.runs <= 6 * 6);
  }
  CHECK(prove(3, 24).reservation == "");
  // Orders of a kernel whose requests are on their way when one fails are more than these.
  Arrays<Moves<OneGroup, 3, 3, 1>> arrays(3);
  const dma::proof::Verdict ahead = dma::proof::prove(
      {.outputs = {dma::proof::output(arrays.y)}, .has_other_arrays = true, .limits = {.executions = 24}},
      Moves<OneGroup, 3, 3, 1>{}, {3}, arrays.x.data(), arrays.y.data(), arrays.places.data());
  CHECK_THAT(ahead, IsProved());
  CHECK(ahead.claim == "");
  CHECK_THAT(ahead.reservation, ContainsSubstring("for the responses"));
}

TEST_CASE("what one order of cancellation shows is found, and repeated", "[pending]") {
  std::vector<int> moved(4);
  const auto prove = [&](long executions) {
    return dma::proof::prove({.outputs = {dma::proof::output(moved)}, .limits = {.executions = executions}},
                             FailsOnce{}, {4}, moved.data());
  };
  CHECK_THAT(prove(1), IsProved());  // The seeds do not show it.
  const dma::proof::Verdict verdict = prove(1000);
  CHECK_THAT(verdict, dma::proof::FailsBy(dma::proof::FindingKind::different_outputs));
  CHECK_THAT(verdict.message, ContainsSubstring(" is not the same with seed 0 and cancellations " +
                                                std::to_string(verdict.cancellations) + " as with seed 0"));
  dma::host::launch({.seed = verdict.seed, .cancellations = verdict.cancellations}, FailsOnce{}, {4}, moved.data());
  CHECK(moved == std::vector<int>{1, 2, 1, 1});
}

TEST_CASE("a verdict is replayed with the cancellations that it is about", "[pending]") {
  int failures = 0;
  for (long long order = 0; order < orders_of(2); ++order) {
    std::vector<int> begun(2);
    const dma::proof::Verdict verdict =
        dma::proof::prove({.cancellations = order, .outputs = {dma::proof::output(begun)}}, Races{}, {2}, begun.data());
    if (verdict.is_proved()) {
      continue;
    }
    CAPTURE(order, verdict);
    ++failures;
    REQUIRE(verdict.schedule != nullptr);
    CHECK(verdict.cancellations == order);
    dma::proof::replay(verdict, Races{}, {2}, begun.data());
    CHECK(begun[1] == 1);
    std::ostringstream text;
    text << verdict;
    CHECK_THAT(text.str(), ContainsSubstring("with seed 0 and cancellations " + std::to_string(order) + " repeats"));
  }
  CHECK(failures > 0);
}
