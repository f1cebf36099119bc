#include <dma/sync/libcuxx_barrier.hpp>

#include "device/matrix.cuh"

MatrixResult run_libcuxx_groups_matrix(int short_every, unsigned seed) {
  return run_matrix<dma::LibcuxxBarrier, dma::RegisterCopy<>, streams::OtherBufferings>(short_every, seed);
}
