#include "device/matrix.cuh"

MatrixResult run_phase_matrix(int short_every, unsigned seed) {
  return run_matrix<dma::CudaBarrier, dma::RegisterCopy<>>(short_every, seed);
}
