// error: dma::TensorMemory: a product of a pair of CTAs has a multiple of 32 columns; use 16 more
#include <dma/matrix/tensor_memory.hpp>

#if defined(DMA_MISTAKE)
constexpr int ctas = 2;
#else
constexpr int ctas = 1;
#endif

auto sums_of(const dma::TensorMemory<64, ctas>& memory) { return memory.template sums<48>(); }
