#include "host/sync/protocol.hpp"

TEST_CASE("every buffering on phase barriers delivers every tile, in order", "[protocol]") {
  REQUIRE(check_every_kernel<dma::CudaBarrier, dma::RegisterCopy<>>(false, 0) == kernels_of_matrix);
}

TEST_CASE("every buffering on phase barriers delivers short tiles, threads in random order", "[protocol]") {
  REQUIRE(check_every_kernel<dma::CudaBarrier, dma::RegisterCopy<>>(true, 17) == kernels_of_matrix);
}

TEST_CASE("two pipelines on phase barriers do not interfere", "[protocol]") {
  check_every_pair<dma::CudaBarrier>(false, 0);
  check_every_pair<dma::CudaBarrier>(true, 5);
}
