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

TEST_CASE("every pair of pipelines by tensor maps is proved on phase barriers", "[proof][matrix]") {
  judge_pairs_of_pipelines<dma::CudaBarrier, dma::TensorCopy<>>("tensor maps, two pipelines, phase barriers");
}

TEST_CASE("every pair of pipelines by tensor maps is proved on named barriers", "[proof][matrix]") {
  judge_pairs_of_pipelines<dma::NamedBarrier, dma::TensorCopy<>>("tensor maps, two pipelines, named barriers");
}

// Some minutes: run it by its tag.
TEST_CASE("every pair of pipelines by tensor maps is explored in every loop", "[.][matrix-full]") {
  judge_pairs_of_pipelines<dma::CudaBarrier, dma::TensorCopy<>>("tensor maps, two pipelines, phase barriers",
                                                                PairExtent::full);
  judge_pairs_of_pipelines<dma::NamedBarrier, dma::TensorCopy<>>("tensor maps, two pipelines, named barriers",
                                                                 PairExtent::full);
}
