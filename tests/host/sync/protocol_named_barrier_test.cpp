#include "host/sync/protocol.hpp"

TEST_CASE("every buffering on named barriers delivers every tile, in order", "[protocol]") {
  REQUIRE(check_every_kernel<dma::NamedBarrier, dma::RegisterCopy<>>(false, 0) == kernels_of_matrix);
}

TEST_CASE("every buffering on named barriers delivers short tiles, threads in random order", "[protocol]") {
  REQUIRE(check_every_kernel<dma::NamedBarrier, dma::RegisterCopy<>>(true, 17) == kernels_of_matrix);
}

TEST_CASE("two pipelines on named barriers do not interfere", "[protocol]") {
  check_every_pair<dma::NamedBarrier>(false, 0);
  check_every_pair<dma::NamedBarrier>(true, 5);
}
