#include <dma/sync/libcuxx_barrier.hpp>

#include "host/sync/protocol.hpp"

namespace {

/// One stage and several, one group and several, no DMA warps.
using Bufferings = streams::List<streams::Single, streams::FourStagesTwoGroups, streams::NoDmaWarpsThree>;
constexpr int kernels_of_an_engine = 4 * (2 * 4 + 1);  // patterns and directions x (bufferings x styles + one body)

}  // namespace

TEST_CASE("every buffering on libcu++'s barrier delivers every tile, threads in random order", "[protocol]") {
  REQUIRE(check_every_kernel<dma::LibcuxxBarrier, dma::RegisterCopy<>>(true, 17) == kernels_of_matrix);
}

TEST_CASE("cp.async delivers every tile on libcu++'s barrier", "[protocol][engines]") {
  REQUIRE(check_engine<dma::LibcuxxBarrier, dma::AsyncCopy<>, Bufferings>(true, 17) == kernels_of_an_engine);
}

TEST_CASE("bulk copies deliver every tile on libcu++'s barrier", "[protocol][engines]") {
  REQUIRE(check_engine<dma::LibcuxxBarrier, dma::BulkCopy<>, Bufferings>(true, 17) == kernels_of_an_engine);
}

TEST_CASE("two pipelines on libcu++'s barrier do not interfere", "[protocol]") {
  check_every_pair<dma::LibcuxxBarrier>(true, 5);
}
