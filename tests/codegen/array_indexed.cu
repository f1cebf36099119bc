// An array of a body that a run-time number indexes: it is in local memory, which the build refuses.

#include "../../examples/make_it_fast/polynomial.hpp"

template void dma::launch(const Polynomial<false>&, dma::Index3, cudaStream_t, const float*, float*, const float*, int,
                          int);
