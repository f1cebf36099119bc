#include <dma/sync/libcuxx_barrier.hpp>

#include "device/matrix.cuh"

MatrixResult run_libcuxx_pairs(int short_every, unsigned seed) {
  return run_pairs_on<dma::LibcuxxBarrier>(short_every, seed);
}
