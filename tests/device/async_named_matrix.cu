#include "device/matrix.cuh"

MatrixResult run_async_named_matrix(int short_every, unsigned seed) {
  return run_matrix<dma::NamedBarrier, dma::AsyncCopy<>, streams::FewBufferings>(short_every, seed);
}
