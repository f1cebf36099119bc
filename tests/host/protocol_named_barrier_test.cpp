#include "host/protocol.hpp"

TEST_CASE("every buffering on named barriers delivers every tile, in order", "[protocol]") {
  check_every_kernel<dma::NamedBarrier>(false, 0);
}

TEST_CASE("every buffering on named barriers delivers short tiles, threads in random order", "[protocol]") {
  check_every_kernel<dma::NamedBarrier>(true, 17);
}

TEST_CASE("two pipelines on named barriers do not meet", "[protocol]") {
  check_every_pair<dma::NamedBarrier>(false, 0);
  check_every_pair<dma::NamedBarrier>(true, 5);
}
