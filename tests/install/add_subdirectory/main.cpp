#include <dma/dma.hpp>

static_assert(dma::Sequential<float, 256>::tile_bytes == 1024);

int main() { return dma::Sequential<float, 256>::tile_bytes == 1024 ? 0 : 1; }
