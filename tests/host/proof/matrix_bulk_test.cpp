#include "host/proof/matrix.hpp"

using namespace proof_matrix;

TEST_CASE("every pipeline by bulk copies is proved on phase barriers", "[proof][matrix]") {
  judge_single_pipelines<dma::CudaBarrier, dma::BulkCopy<>>("bulk copies, phase barriers");
}

TEST_CASE("every pipeline by bulk copies is proved on named barriers", "[proof][matrix]") {
  judge_single_pipelines<dma::NamedBarrier, dma::BulkCopy<>>("bulk copies, named barriers");
}

TEST_CASE("updates by bulk copies are proved on phase barriers", "[proof][matrix]") {
  judge_updates<dma::CudaBarrier, dma::BulkCopy<>>("updates by bulk copies, phase barriers");
}
