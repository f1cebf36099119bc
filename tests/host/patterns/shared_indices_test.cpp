#include "kernels/shared_indices.hpp"
#include "kernels/host_runner.hpp"

#include <catch2/catch_test_macros.hpp>

TEST_CASE("a gather reads its indices from shared memory", "[patterns]") {
  HostRunner runner;
  REQUIRE(shared_indices::wrong_elements(runner) == 0);
}
