// The kernels of the article on tuning, on the emulator.

#include "kernel.hpp"
#include "steps.hpp"

#include <dma/explain/explanation.hpp>
#include <dma/host/launch.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace {

/// Values and small numbers whose sums are exact; some points have negative sums only, whose best is 0.
struct Market {
  Market(int points, int values) : Market(points, values, points, 0) {}
  /// Rows `pitch` elements apart; the arrays begin `skipped` elements behind an address on 16 bytes.
  Market(int points, int values, int pitch, int skipped)
      : row(static_cast<std::size_t>(pitch)),
        first(static_cast<std::size_t>(skipped)),
        big(first + row * static_cast<std::size_t>(values)),
        small(first + static_cast<std::size_t>(values)),
        best(first + static_cast<std::size_t>(points) + 8, -1.0),
        job{big.data() + first, small.data() + first, best.data() + first, points, values} {
    for (std::size_t i = 0; i < big.size(); ++i) {
      const std::size_t point = i % row;
      big[i] = static_cast<double>(i * 7919 % 1013) - (point % 5 == 0 ? 2000 : 500);
    }
    for (std::size_t k = 0; k < small.size(); ++k) {
      small[k] = static_cast<double>(k * 31 % 97) / 8;
    }
  }

  [[nodiscard]] int wrong() const {
    int wrong = 0;
    for (std::size_t p = 0; p + first < best.size(); ++p) {
      double expected = p < static_cast<std::size_t>(job.points) ? 0 : -1;
      for (std::size_t k = 0; k + first < small.size() && expected >= 0; ++k) {
        const double sum = big[first + k * row + p] + small[first + k];
        expected = sum > expected ? sum : expected;
      }
      wrong += best[first + p] == expected ? 0 : 1;
    }
    return wrong;
  }

  std::size_t row;
  std::size_t first;
  std::vector<double> big;
  std::vector<double> small;
  std::vector<double> best;
  financial::Points<double> job;
};

template <int BigWidth, int SmallWidth>
int wrong_by_threads(int points, int values) {
  const Market market(points, values);
  constexpr int threads = 7;
  for (int thread = 0; thread < threads; ++thread) {
    financial::best_of_thread<BigWidth, SmallWidth, 4>(market.job, thread, threads);
  }
  return market.wrong();
}

TEST_CASE("the best sum of each point is that of all values, whatever the width of a load") {
  for (const auto& [points, values] : {std::pair{2, 4}, {60, 8}, {1, 12}}) {
    CHECK(wrong_by_threads<1, 1>(points, values) == 0);
    CHECK(wrong_by_threads<1, 2>(points, values) == 0);
    CHECK((points % 2 != 0 || wrong_by_threads<2, 2>(points, values) == 0));
  }
}

/// Of a load of `bytes` by each lane of a warp, beside one another.
int sectors_of_load(int bytes) {
  dma::WarpAccess access;
  for (int lane = 0; lane < dma::warp_size; ++lane) {
    access.add({lane * static_cast<long long>(bytes), 0, bytes});
  }
  return access.sectors();
}

TEST_CASE("wide loads halve the instructions and not the sectors") {
  CHECK(sectors_of_load(8) == 8);
  CHECK(sectors_of_load(16) == 16);
}

template <int BigWidth, int SmallWidth>
int wrong_of_any_count(int points, int values, int pitch, int skipped) {
  const Market market(points, values, pitch, skipped);
  constexpr int threads = 7;
  for (int thread = 0; thread < threads; ++thread) {
    financial::best_of_any_count<BigWidth, SmallWidth, 4>(market.job, pitch, thread, threads);
  }
  return market.wrong();
}

TEST_CASE("odd numbers of points and values give the best sums in any rows, wherever the arrays begin") {
  for (const auto& [points, values] : {std::pair{1, 1}, {2, 3}, {15, 4}, {60, 5}, {33, 8}, {7, 63}}) {
    for (const int gap : {0, 1, 2}) {
      for (const int skipped : {0, 1}) {
        INFO(points << " points, " << values << " values, a gap of " << gap << ", from element " << skipped);
        CHECK(wrong_of_any_count<1, 1>(points, values, points + gap, skipped) == 0);
        CHECK(wrong_of_any_count<1, 2>(points, values, points + gap, skipped) == 0);
        CHECK(wrong_of_any_count<2, 2>(points, values, points + gap, skipped) == 0);
      }
    }
  }
}

TEST_CASE("wide loads are for rows of an even pitch that begin on 16 bytes") {
  const Market even(15, 3, 16, 0);
  const Market behind(15, 3, 16, 1);
  CHECK(financial::begin_on_loads<2, 2>(even.job, 16));
  CHECK_FALSE(financial::begin_on_loads<2, 2>(even.job, 15));
  CHECK(financial::begin_on_loads<1, 2>(even.job, 15));
  CHECK_FALSE(financial::begin_on_loads<2, 1>(behind.job, 16));
  CHECK_FALSE(financial::begin_on_loads<1, 2>(behind.job, 16));
  CHECK(financial::begin_on_loads<1, 1>(behind.job, 15));
}

TEST_CASE("tiles of points and values, and registers, give the same, also where both are short") {
  using Kernel = financial::BestOfSums<double, dma::WarpLayout<dma::Compute<1>, dma::Dma<1>>, 128, 4, 2, 1>;
  using InRegisters = financial::BestOfSumsInRegisters<double, 64, 1, 2, 2, dma::CacheHints{}>;
  for (const auto& [points, values] : {std::pair{128, 4}, {300, 10}, {2, 1}, {512, 9}}) {
    for (const int ctas : {1, 3}) {
      const Market market(points, values);
      dma::host::launch(Kernel{}, {ctas}, market.job);
      CHECK(market.wrong() == 0);
      if (values % 2 == 0) {
        const Market other(points, values);
        dma::host::launch(InRegisters{}, {ctas}, other.job);
        CHECK(other.wrong() == 0);
      }
    }
  }
}

}  // namespace
