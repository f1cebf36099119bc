// All that a kernel needs, under NVRTC.

#include <dma/dma.hpp>

extern "C" __global__ void tile_bytes(int* out) { *out = dma::Sequential<float, 256>::tile_bytes; }
