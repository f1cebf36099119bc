#include "host/proof/matrix.hpp"

using namespace proof_matrix;

TEST_CASE("every pipeline by tensor maps is proved on phase barriers", "[proof][matrix]") {
  judge_single_pipelines<dma::CudaBarrier, dma::TensorCopy<>>("tensor maps, phase barriers");
}

TEST_CASE("every pipeline by tensor maps is proved on named barriers", "[proof][matrix]") {
  judge_single_pipelines<dma::NamedBarrier, dma::TensorCopy<>>("tensor maps, named barriers");
}

TEST_CASE("updates by tensor maps are proved on phase barriers", "[proof][matrix]") {
  judge_updates<dma::CudaBarrier, dma::TensorCopy<>>("updates by tensor maps, phase barriers");
}
