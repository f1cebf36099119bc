#include <dma/sync/libcuxx_barrier.hpp>

#include "device/matrix.cuh"

MatrixResult run_libcuxx_matrix(int short_every, unsigned seed) {
  MatrixResult result =
      run_matrix<dma::LibcuxxBarrier, dma::RegisterCopy<>, streams::OneGroupBufferings>(short_every, seed);
  result += run_libcuxx_groups_matrix(short_every, seed);
  return result;
}
