#include "device/matrix.cuh"

MatrixResult run_phase_matrix(int short_every, unsigned seed) {
  MatrixResult result =
      run_matrix<dma::CudaBarrier, dma::RegisterCopy<>, streams::OneGroupBufferings>(short_every, seed);
  result += run_phase_groups_matrix(short_every, seed);
  return result;
}
