#include "kernels/atomics.hpp"

#include "device/device.hpp"

#include <cuda_runtime.h>

int atomic_accesses() {
  atomics::Words* words = nullptr;
  cudaMalloc(&words, sizeof *words);
  int wrong = 0;
  for (int round = 0; round < 20; ++round) {
    cudaMemset(words, 0, sizeof *words);
    dma::launch(atomics::Body{}, {atomics::ctas}, nullptr, words);
    atomics::Words left{};
    wrong += cudaMemcpy(&left, words, sizeof left, cudaMemcpyDeviceToHost) != cudaSuccess ? 1 : 0;
    wrong += atomics::count_wrong(left);
  }
  cudaFree(words);
  return wrong;
}
