#include <dma/sync/libcuxx_barrier.hpp>

#include "device/matrix.cuh"

MatrixResult run_libcuxx_bulk_matrix(int short_every, unsigned seed) {
  return run_matrix<dma::LibcuxxBarrier, dma::BulkCopy<>, streams::FewBufferings>(short_every, seed);
}
