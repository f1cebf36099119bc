#include "host/proof/matrix.hpp"

using namespace proof_matrix;

TEST_CASE("every pipeline by cp.async is proved on phase barriers", "[proof][matrix]") {
  judge_single_pipelines<dma::CudaBarrier, dma::AsyncCopy<>>("cp.async, phase barriers");
}

TEST_CASE("every pipeline by cp.async is proved on named barriers", "[proof][matrix]") {
  judge_single_pipelines<dma::NamedBarrier, dma::AsyncCopy<>>("cp.async, named barriers");
}

TEST_CASE("updates by cp.async are proved on named barriers", "[proof][matrix]") {
  judge_updates<dma::NamedBarrier, dma::AsyncCopy<>>("updates by cp.async, named barriers");
}

TEST_CASE("every pair of pipelines by cp.async is proved on phase barriers", "[proof][matrix]") {
  judge_pairs_of_pipelines<dma::CudaBarrier, dma::AsyncCopy<>>("cp.async, two pipelines, phase barriers");
}

TEST_CASE("every pair of pipelines by cp.async is proved on named barriers", "[proof][matrix]") {
  judge_pairs_of_pipelines<dma::NamedBarrier, dma::AsyncCopy<>>("cp.async, two pipelines, named barriers");
}

// Some minutes: run it by its tag.
TEST_CASE("every pair of pipelines by cp.async is explored in every loop", "[.][matrix-full]") {
  judge_pairs_of_pipelines<dma::CudaBarrier, dma::AsyncCopy<>>("cp.async, two pipelines, phase barriers",
                                                               PairExtent::full);
  judge_pairs_of_pipelines<dma::NamedBarrier, dma::AsyncCopy<>>("cp.async, two pipelines, named barriers",
                                                                PairExtent::full);
}
