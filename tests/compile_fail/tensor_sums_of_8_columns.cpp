// error: dma::TensorMemory: a product has 16 to 256 columns, a multiple of 16; use several sums for more
#include <dma/matrix/tensor_memory.hpp>

#if defined(DMA_MISTAKE)
constexpr int columns = 8;
#else
constexpr int columns = 16;
#endif

auto sums_of(const dma::TensorMemory<64>& memory) { return memory.sums<columns>(); }
