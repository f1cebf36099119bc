#include "total.hpp"

#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

#include <numeric>
#include <vector>

TEST_CASE("the CTA that counts last adds up what all have left") {
  std::vector<int> x(5 * 64);
  std::iota(x.begin(), x.end(), 1);
  std::vector<int> sums(5);
  unsigned counted = 0;
  int total = 0;
  dma::host::launch(Total{}, {5}, x.data(), sums.data(), &counted, &total);
  REQUIRE(total == 320 * 321 / 2);
  REQUIRE(counted == 5);
}
