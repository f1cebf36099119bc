#include "device/matrix.cuh"

MatrixResult run_bulk_matrix(int short_every, unsigned seed) {
  MatrixResult result = run_matrix<dma::CudaBarrier, dma::BulkCopy<>, streams::FewBufferings>(short_every, seed);
  result += run_bulk_named_matrix(short_every, seed);
  return result;
}
