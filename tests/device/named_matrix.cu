#include "device/matrix.cuh"

MatrixResult run_named_matrix(int short_every, unsigned seed) {
  MatrixResult result =
      run_matrix<dma::NamedBarrier, dma::RegisterCopy<>, streams::OneGroupBufferings>(short_every, seed);
  result += run_named_groups_matrix(short_every, seed);
  return result;
}
