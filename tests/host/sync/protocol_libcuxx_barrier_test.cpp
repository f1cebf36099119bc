#include <dma/sync/libcuxx_barrier.hpp>

#include "host/sync/protocol.hpp"

TEST_CASE("every buffering on libcu++'s barrier delivers every tile, threads in random order", "[protocol]") {
  REQUIRE(check_every_kernel<dma::LibcuxxBarrier, dma::RegisterCopy<>>(true, 17) == kernels_of_matrix);
}

TEST_CASE("two pipelines on libcu++'s barrier do not interfere", "[protocol]") {
  check_every_pair<dma::LibcuxxBarrier>(true, 5);
}
