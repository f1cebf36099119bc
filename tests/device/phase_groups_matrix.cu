#include "device/matrix.cuh"

MatrixResult run_phase_groups_matrix(int short_every, unsigned seed) {
  return run_matrix<dma::CudaBarrier, dma::RegisterCopy<>, streams::OtherBufferings>(short_every, seed);
}
