#include <dma/sync/libcuxx_barrier.hpp>

#include "device/matrix.cuh"

/// What an engine asks of a barrier: bytes of bulk copies, arrivals of cp.async, arrivals alone.
MatrixResult run_libcuxx_matrix(int short_every, unsigned seed) {
  using streams::List;
  using Three = List<streams::Single, streams::Double, streams::FourStagesTwoGroups>;
  using Two = List<streams::Manual, streams::ThreeStages>;
  MatrixResult result = run_matrix<dma::LibcuxxBarrier, dma::BulkCopy<>, Three>(short_every, seed);
  result += run_matrix<dma::LibcuxxBarrier, dma::AsyncCopy<>, Three>(short_every, seed);
  result += run_matrix<dma::LibcuxxBarrier, dma::RegisterCopy<>, Two>(short_every, seed);
  return result;
}
