#pragma once

#include "../../../examples/gpu.hpp"
#include "planted.hpp"

#include <dma/dma.hpp>

#include <chrono>
#include <cstdio>
#include <string>

/// Runs what `start` launches to its end and says how it ended.
template <class Start>
int run_planted(const Start& start) {
  if (const std::string reason = gpu::missing(); !reason.empty()) {
    std::printf("%s", reason.c_str());
    std::fflush(stdout);
    return has_no_device;
  }
  constexpr std::size_t bytes = 1 << 20;
  void* memory = nullptr;
  if (cudaMalloc(&memory, bytes) != cudaSuccess || cudaMemset(memory, 0, bytes) != cudaSuccess) {
    return has_no_device;
  }
  const auto begin = std::chrono::steady_clock::now();
  start(static_cast<float*>(memory));
  const cudaError_t error = cudaDeviceSynchronize();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  std::printf("the kernel ended after %.2f s with: %s\n", taken.count(), cudaGetErrorString(error));
  std::fflush(stdout);
  return error != cudaSuccess && taken.count() < slowest_end_s ? kernel_was_stopped : kernel_went_through;
}
