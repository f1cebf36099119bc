#include "host/proof/matrix.hpp"

using namespace proof_matrix;

TEST_CASE("every pair of pipelines by bulk copies is proved on phase barriers", "[proof][matrix]") {
  judge_pairs_of_pipelines<dma::CudaBarrier, dma::BulkCopy<>>("bulk copies, two pipelines, phase barriers");
}

TEST_CASE("every pair of pipelines by bulk copies is proved on named barriers", "[proof][matrix]") {
  judge_pairs_of_pipelines<dma::NamedBarrier, dma::BulkCopy<>>("bulk copies, two pipelines, named barriers");
}

// Some minutes: run it by its tag.
TEST_CASE("every pair of pipelines by bulk copies is explored in every loop", "[.][matrix-full]") {
  judge_pairs_of_pipelines<dma::CudaBarrier, dma::BulkCopy<>>("bulk copies, two pipelines, phase barriers",
                                                              PairExtent::full);
  judge_pairs_of_pipelines<dma::NamedBarrier, dma::BulkCopy<>>("bulk copies, two pipelines, named barriers",
                                                               PairExtent::full);
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
