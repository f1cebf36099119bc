// y = a x, streamed through DMA warps: the kernel of the README, and the same as a kernel body. Checks every element of
// both; exits with 4 where there is no GPU.

#include "../gpu.hpp"
#include "../usage.hpp"
#include "body.hpp"
#include "scale.cuh"

#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <cuda_runtime.h>

using gpu::check;

int main(int argc, char** argv) try {
  expect_no_arguments(argc, argv, "Scales a vector on a GPU.");
  if (const std::string reason = gpu::missing(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 4;
  }

  constexpr int tiles = 1000;
  constexpr float a = 3.0F;
  std::vector<float> values(static_cast<std::size_t>(tiles * Tile::count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i % 4099);
  }
  const std::size_t bytes = values.size() * sizeof(float);
  float* x = nullptr;
  float* y = nullptr;
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMemcpy(x, values.data(), bytes, cudaMemcpyHostToDevice));

  const auto wrong_elements = [&] {
    std::vector<float> result(values.size());
    check(cudaMemcpy(result.data(), y, bytes, cudaMemcpyDeviceToHost));
    check(cudaMemset(y, 0xff, bytes));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      wrong += result[i] == a * values[i] ? 0 : 1;
    }
    return wrong;
  };

  scale<<<tiles, Warps::threads>>>(x, y, a, tiles);
  check(cudaGetLastError());
  std::size_t wrong = wrong_elements();

  cudaStream_t stream{};
  check(cudaStreamCreate(&stream));
  dma::launch(Scale{}, {tiles}, stream, x, y, a, tiles);
  check(cudaStreamSynchronize(stream));
  wrong += wrong_elements();

  std::printf("scale: %zu of %zu elements are wrong\n", wrong, 2 * values.size());
  cudaStreamDestroy(stream);
  cudaFree(x);
  cudaFree(y);
  return wrong == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "scale: %s\n", error.what());
  return 1;
}
