#include <dma/dma.hpp>

__global__ void tile_bytes(int* out) { *out = dma::Sequential<float, 256>::tile_bytes; }
