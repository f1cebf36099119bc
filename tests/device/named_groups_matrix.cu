#include "device/matrix.cuh"

MatrixResult run_named_groups_matrix(int short_every, unsigned seed) {
  return run_matrix<dma::NamedBarrier, dma::RegisterCopy<>, streams::OtherBufferings>(short_every, seed);
}
