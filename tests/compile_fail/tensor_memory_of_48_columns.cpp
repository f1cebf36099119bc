// error: dma::TensorMemory: tensor memory is allocated in 32, 64, 128, 256 or 512 columns; name the next one above what the sums need
#include <dma/matrix/tensor_memory.hpp>

#if defined(DMA_MISTAKE)
constexpr int columns = 48;
#else
constexpr int columns = 64;
#endif

auto sums_of(const dma::TensorMemory<columns>& memory) { return memory.sums<32>(); }
