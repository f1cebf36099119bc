// Compiles every constructor and call of the adapter for a GPU.

#include "every_call.hpp"

#include <dma/kernel/launch.hpp>

void run_every_call(const int* in, const int* places, int* sequential, int* strided, int* gathered, int* scattered,
                    int* counts, cudaStream_t stream) {
  dma::launch(EveryCall{}, {1}, stream, in, places, sequential, strided, gathered, scattered, counts);
}
