#include "device/matrix.cuh"

MatrixResult run_bulk_named_matrix(int short_every, unsigned seed) {
  return run_matrix<dma::NamedBarrier, dma::BulkCopy<>, streams::FewBufferings>(short_every, seed);
}
