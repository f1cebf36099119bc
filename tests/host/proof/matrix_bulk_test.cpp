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
