#include <dma/dma.hpp>

#include "device/device.hpp"
#include "kernels/last_cta.hpp"

#include <cuda_runtime.h>

#include <vector>

int sums_by_the_last_cta() {
  using last_cta::Body;
  constexpr int sum_count = last_cta::groups * Body::Layout::threads;
  unsigned* partial = nullptr;
  unsigned* sums = nullptr;
  dma::ArrivalCounter* counters = nullptr;
  cudaMalloc(&partial, last_cta::parts * last_cta::groups * Body::Layout::threads * sizeof *partial);
  cudaMalloc(&sums, sum_count * sizeof *sums);
  cudaMalloc(&counters, last_cta::groups * sizeof *counters);
  cudaMemset(counters, 0, last_cta::groups * sizeof *counters);
  int wrong = 0;
  for (unsigned round = 1; round <= 20; ++round) {
    cudaMemset(sums, 0xff, sum_count * sizeof *sums);
    dma::launch(Body{}, {last_cta::groups, last_cta::parts}, nullptr, round, partial, sums, counters);
    std::vector<unsigned> result(sum_count);
    std::vector<unsigned> left(last_cta::groups);
    cudaMemcpy(result.data(), sums, result.size() * sizeof(unsigned), cudaMemcpyDeviceToHost);
    wrong += cudaMemcpy(left.data(), counters, left.size() * sizeof(unsigned), cudaMemcpyDeviceToHost) != cudaSuccess;
    wrong += last_cta::count_wrong(round, result, left);
  }
  cudaFree(partial);
  cudaFree(sums);
  cudaFree(counters);
  return wrong;
}
