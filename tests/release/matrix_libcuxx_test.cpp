#include <dma/sync/libcuxx_barrier.hpp>

#include "host/proof/matrix.hpp"

using namespace proof_matrix;

// What an engine asks of a barrier: bytes of bulk copies, arrivals of cp.async, arrivals alone.

TEST_CASE("every pipeline by bulk copies is proved on libcu++'s barrier", "[proof][matrix]") {
  judge_single_pipelines<dma::LibcuxxBarrier, dma::BulkCopy<>>("bulk copies, libcu++'s barrier");
}

TEST_CASE("every pipeline by tensor maps is proved on libcu++'s barrier", "[proof][matrix]") {
  judge_single_pipelines<dma::LibcuxxBarrier, dma::TensorCopy<>>("tensor maps, libcu++'s barrier");
}

TEST_CASE("every pipeline by cp.async is proved on libcu++'s barrier", "[proof][matrix]") {
  judge_single_pipelines<dma::LibcuxxBarrier, dma::AsyncCopy<>>("cp.async, libcu++'s barrier");
}

TEST_CASE("every pipeline by registers is proved on libcu++'s barrier", "[proof][matrix]") {
  judge_single_pipelines<dma::LibcuxxBarrier, dma::RegisterCopy<>>("registers, libcu++'s barrier");
}

TEST_CASE("updates are proved on libcu++'s barrier", "[proof][matrix]") {
  judge_updates<dma::LibcuxxBarrier, dma::BulkCopy<>>("updates by bulk copies, libcu++'s barrier");
  judge_updates<dma::LibcuxxBarrier, dma::RegisterCopy<>>("updates by registers, libcu++'s barrier");
}

TEST_CASE("every pair of pipelines by registers is proved on libcu++'s barrier", "[proof][matrix]") {
  judge_pairs_of_pipelines<dma::LibcuxxBarrier, dma::RegisterCopy<>>("registers, two pipelines, libcu++'s barrier");
}

// Some minutes: run it by its tag.
TEST_CASE("every pair of pipelines by bulk copies is proved on libcu++'s barrier", "[.][matrix-full]") {
  judge_pairs_of_pipelines<dma::LibcuxxBarrier, dma::BulkCopy<>>("bulk copies, two pipelines, libcu++'s barrier");
}
