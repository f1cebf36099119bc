// Compiles every constructor and call of both versions of CudaDMA for a GPU.

#include "version1/version1_calls.hpp"
#include "version2/version2_calls.hpp"

#include <dma/launch/launch.hpp>

void run_version2_calls(const int* in, const int* places, int* sequential, int* strided, int* gathered, int* scattered,
                        int* counts, cudaStream_t stream) {
  dma::launch(EveryCall{}, {1}, stream, in, places, sequential, strided, gathered, scattered, counts);
}

void run_version1_calls(const int* in, const int* places, int* sequential, int* strided, int* gathered, int* counts,
                        cudaStream_t stream) {
  dma::launch(FirstVersionCalls{}, {1}, stream, in, places, sequential, strided, gathered, counts);
}
