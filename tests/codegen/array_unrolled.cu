// An array of a body that constants index: it stays in registers.

#include "../../examples/make_it_fast/polynomial.hpp"

template void dma::launch(const Polynomial<true>&, dma::Index3, cudaStream_t, const float*, float*, const float*, int,
                          int);
