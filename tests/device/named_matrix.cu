#include "device/matrix.cuh"

MatrixResult run_named_matrix(int short_every, unsigned seed) {
  return run_matrix<dma::NamedBarrier, dma::RegisterCopy<>>(short_every, seed);
}
