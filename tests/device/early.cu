#include <dma/dma.hpp>

#include "device/device.hpp"

#include <cuda_runtime.h>

namespace {

/// Adds one to each element, slowly in some CTAs. Which element a CTA has changes from grid to grid.
struct AddOne {
  using Layout = dma::WarpLayout<dma::Compute<4>>;
  static constexpr dma::KernelTraits traits{.programmatic_launch = true};

  __device__ void operator()(dma::KernelCta<AddOne>& cta, const int* in, int* out, int shift) const {
    cta.trigger_dependent_launch();
    cta.grid_dependency_wait();
    const int ctas = cta.blocks().x;
    const int at = (cta.block().x + shift) % ctas * Layout::threads + cta.thread();
    // Longer than a launch takes, so that the next grid is there while this one runs.
    if (cta.block().x % 7 == 0) {
      __nanosleep(20000);
    }
    out[at] = in[at] + 1;
  }
};

}  // namespace

int count_wrong_after_early_grids() {
  constexpr int ctas = 300;
  constexpr int grids = 200;
  constexpr int count = ctas * AddOne::Layout::threads;
  int* numbers[2] = {};
  for (int*& array : numbers) {
    cudaMalloc(&array, count * sizeof *array);
    cudaMemset(array, 0, count * sizeof *array);
  }
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  cudaDeviceSynchronize();
  for (int grid = 0; grid < grids; ++grid) {
    dma::launch(AddOne{}, {ctas}, stream, static_cast<const int*>(numbers[grid % 2]), numbers[(grid + 1) % 2],
                grid * 37);
  }
  int result[count];
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  const cudaError_t error = cudaMemcpy(result, numbers[grids % 2], sizeof result, cudaMemcpyDeviceToHost);
  int wrong = error == cudaSuccess ? 0 : count;
  for (const int number : result) {
    wrong += number != grids;
  }
  cudaFree(numbers[0]);
  cudaFree(numbers[1]);
  return wrong;
}
