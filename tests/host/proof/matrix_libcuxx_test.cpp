#include <dma/sync/libcuxx_barrier.hpp>

#include "host/proof/matrix.hpp"

using namespace proof_matrix;

TEST_CASE("every pipeline by bulk copies is proved on libcu++'s barrier", "[proof][matrix]") {
  judge_single_pipelines<dma::LibcuxxBarrier, dma::BulkCopy<>>("bulk copies, libcu++'s barrier");
}

TEST_CASE("updates by bulk copies are proved on libcu++'s barrier", "[proof][matrix]") {
  judge_updates<dma::LibcuxxBarrier, dma::BulkCopy<>>("updates by bulk copies, libcu++'s barrier");
}

TEST_CASE("every pair of pipelines by bulk copies is proved on libcu++'s barrier", "[proof][matrix]") {
  judge_pairs_of_pipelines<dma::LibcuxxBarrier, dma::BulkCopy<>>("bulk copies, two pipelines, libcu++'s barrier");
}
