// y = a x, streamed through DMA warps: the kernel of the README. Checks every element; exits with 4 where there is no GPU.

#include "scale.cuh"

#include <cstddef>
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

namespace {

bool succeeds(cudaError_t error) {
  if (error != cudaSuccess) {
    std::fprintf(stderr, "scale: %s\n", cudaGetErrorString(error));
  }
  return error == cudaSuccess;
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("scale: skipped, there is no CUDA device here");
    return 4;
  }

  constexpr int tiles = 1000;
  constexpr float a = 3.0F;
  std::vector<float> x(static_cast<std::size_t>(tiles * Tile::count));
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i % 4099);
  }
  std::vector<float> y(x.size(), -1.0F);

  const std::size_t bytes = x.size() * sizeof(float);
  float* device_x = nullptr;
  float* device_y = nullptr;
  if (!succeeds(cudaMalloc(&device_x, bytes)) || !succeeds(cudaMalloc(&device_y, bytes)) ||
      !succeeds(cudaMemcpy(device_x, x.data(), bytes, cudaMemcpyHostToDevice))) {
    return 1;
  }
  scale<<<128, Warps::threads>>>(device_x, device_y, a, tiles);
  if (!succeeds(cudaGetLastError()) || !succeeds(cudaMemcpy(y.data(), device_y, bytes, cudaMemcpyDeviceToHost))) {
    return 1;
  }
  cudaFree(device_x);
  cudaFree(device_y);

  std::size_t wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    wrong += y[i] == a * x[i] ? 0 : 1;
  }
  std::printf("scale: %zu of %zu elements are wrong\n", wrong, x.size());
  return wrong == 0 ? 0 : 1;
}
