#include <dma/dma.hpp>

static_assert(dma::Sequential<float, 256>::tile_bytes == 1024);
static_assert(dma::GpuClass{}.bandwidth == 3350, "the option DMA_GPU_BANDWIDTH of the build");

int main() { return dma::Sequential<float, 256>::tile_bytes == 1024 ? 0 : 1; }
