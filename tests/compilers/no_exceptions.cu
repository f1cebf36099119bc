// A kernel and its launch, compiled without exceptions: what is thrown elsewhere is written, and the program ends.

#include "../../examples/scale/body.hpp"

#include <dma/dma.hpp>

void scale(const float* x, float* y, int tiles) { dma::launch(Scale{}, {132}, nullptr, x, y, 2.0F, tiles); }
