#include "host/proof/matrix.hpp"

using namespace proof_matrix;

TEST_CASE("every pipeline by registers is proved on phase barriers", "[proof][matrix]") {
  judge_single_pipelines<dma::CudaBarrier, dma::RegisterCopy<>>("registers, phase barriers");
}

TEST_CASE("every pipeline by registers is proved on named barriers", "[proof][matrix]") {
  judge_single_pipelines<dma::NamedBarrier, dma::RegisterCopy<>>("registers, named barriers");
}

TEST_CASE("updates by registers are proved on named barriers", "[proof][matrix]") {
  judge_updates<dma::NamedBarrier, dma::RegisterCopy<>>("updates by registers, named barriers");
}

TEST_CASE("updates by registers are proved on phase barriers", "[proof][matrix]") {
  judge_updates<dma::CudaBarrier, dma::RegisterCopy<>>("updates by registers, phase barriers");
}

TEST_CASE("every pair of pipelines by registers is proved on phase barriers", "[proof][matrix]") {
  judge_pairs_of_pipelines<dma::CudaBarrier, dma::RegisterCopy<>>("registers, two pipelines, phase barriers");
}

TEST_CASE("every pair of pipelines by registers is proved on named barriers", "[proof][matrix]") {
  judge_pairs_of_pipelines<dma::NamedBarrier, dma::RegisterCopy<>>("registers, two pipelines, named barriers");
}

// Some minutes: run it by its tag.
TEST_CASE("every pair of pipelines by registers is explored in every loop", "[.][matrix-full]") {
  judge_pairs_of_pipelines<dma::CudaBarrier, dma::RegisterCopy<>>("registers, two pipelines, phase barriers",
                                                                  PairExtent::full);
  judge_pairs_of_pipelines<dma::NamedBarrier, dma::RegisterCopy<>>("registers, two pipelines, named barriers",
                                                                   PairExtent::full);
}
