#include "device/matrix.cuh"

MatrixResult run_async_matrix(int short_every, unsigned seed) {
  MatrixResult result = run_matrix<dma::CudaBarrier, dma::AsyncCopy<>, streams::FewBufferings>(short_every, seed);
  result += run_async_named_matrix(short_every, seed);
  return result;
}
