#include <dma/dma.hpp>

#include "device/device.hpp"
#include "sgemv/direct.hpp"
#include "sgemv/variants.hpp"

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

/// Lets the next grid start, and writes x when that has had the time to load its matrix.
struct WriteLate {
  using Layout = dma::WarpLayout<dma::Compute<4>>;
  static constexpr dma::KernelTraits traits{.programmatic_launch = true};

  __device__ void operator()(dma::KernelCta<WriteLate>& cta, float* x, float value) const {
    cta.trigger_dependent_launch();
    cta.grid_dependency_wait();
    __nanosleep(20000);
    x[cta.thread()] = value;
  }
};
__global__ void count_others(const float* y, float expected, int* wrong) {
  if (y[threadIdx.x] != expected) {
    atomicAdd(wrong, 1);
  }
}

/// Products by a matrix of ones, which no grid writes, with an x that the grid before writes late.
template <class Product>
int count_wrong_products() {
  constexpr int size = WriteLate::Layout::threads;
  float* arrays = nullptr;  // the matrix, x and y
  int* wrong = nullptr;
  dma::ArrivalCounter* arrivals = nullptr;
  cudaMalloc(&arrays, (size + 2) * size * sizeof *arrays);
  cudaMalloc(&wrong, sizeof *wrong);
  cudaMalloc(&arrivals, size * sizeof *arrivals);
  cudaMemset(wrong, 0, sizeof *wrong);
  cudaMemset(arrivals, 0, size * sizeof *arrivals);
  for (int column = 0; column < size; ++column) {
    dma::launch(WriteLate{}, {1}, nullptr, arrays + column * size, 1.0F);
  }
  cudaDeviceSynchronize();  // the matrix is there before any product may begin
  float* const x = arrays + size * size;
  float* const y = x + size;
  const sgemv::Problem p{sgemv::Op::n, size, size, 1.0F, arrays, size, x, 1, 0.0F, y, 1};
  for (int grid = 1; grid <= 100; ++grid) {
    dma::launch(WriteLate{}, {1}, nullptr, x, static_cast<float>(grid));
    dma::launch(Product{}, {size / Product::outputs, 1}, nullptr, p, sgemv::Workspace{nullptr, arrivals});
    count_others<<<1, size>>>(y, static_cast<float>(grid * size), wrong);
  }
  int result = 0;
  const cudaError_t error = cudaMemcpy(&result, wrong, sizeof result, cudaMemcpyDeviceToHost);
  cudaFree(arrays);
  cudaFree(wrong);
  cudaFree(arrivals);
  return error == cudaSuccess ? result : size;
}

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

int count_wrong_after_constant_matrices() {
  using sgemv::Access;
  using sgemv::Op;
  using sgemv::Tile;
  return count_wrong_products<sgemv::Direct<Op::n, Tile{16, 128}, 4, Access{.a_is_constant = true}>>() +
         count_wrong_products<sgemv::Both<Op::n, Tile{32, 64}, sgemv::Streamed<4, 2>, Access{.a_is_constant = true}>>();
}
