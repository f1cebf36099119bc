// error: dma::atomic_ref: a word is an integer, an enumeration or a floating-point value of 4 or 8 bytes; put smaller values into one of these

#include <dma/dma.hpp>

void kernel(short& small, int& word) {
#if defined(DMA_MISTAKE)
  dma::atomic_ref<short, dma::Scope::gpu>(small).store(1);
#else
  dma::atomic_ref<int, dma::Scope::gpu>(word).store(small);
#endif
  static_cast<void>(word);
}
