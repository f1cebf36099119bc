#include "kernels/last_cta.hpp"

#include <dma/host/launch.hpp>

#include <catch2/catch_test_macros.hpp>

#include <vector>

TEST_CASE("the last CTA of each group adds up what all have left, and clears the counter", "[launch]") {
  using last_cta::Body;
  std::vector<unsigned> partial(last_cta::groups * last_cta::parts * Body::Layout::threads);
  std::vector<dma::ArrivalCounter> counters(last_cta::groups);
  for (unsigned round = 1; round <= 2; ++round) {
    std::vector<unsigned> sums(last_cta::groups * Body::Layout::threads);
    dma::host::launch(Body{}, {last_cta::groups, last_cta::parts}, round, partial.data(), sums.data(), counters.data());
    std::vector<unsigned> left;
    for (const dma::ArrivalCounter& counter : counters) {
      left.push_back(counter.arrived);
    }
    REQUIRE(last_cta::count_wrong(round, sums, left) == 0);
  }
}
