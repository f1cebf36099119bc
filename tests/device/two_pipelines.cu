#include "device/matrix.cuh"

MatrixResult run_pairs(int short_every, unsigned seed) {
  MatrixResult result = run_pairs_on<dma::NamedBarrier>(short_every, seed);
  result += run_pairs_on<dma::CudaBarrier>(short_every, seed);
  return result;
}
