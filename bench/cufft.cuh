#pragma once

/// cuFFT's plans and arrays of the GPU's memory, released by themselves.

#include "measure.hpp"

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

#include <cuda_runtime.h>
#include <cufft.h>

namespace bench {

inline void check_fft(cufftResult result) {
  if (result != CUFFT_SUCCESS) {
    throw std::runtime_error("bench: cuFFT returned " + std::to_string(result));
  }
}

/// `count` elements of the GPU's memory, released with the last copy of the pointer.
template <class T>
[[nodiscard]] std::shared_ptr<T> device_array(long long count) {
  T* array = nullptr;
  if (count > 0) {
    check(cudaMalloc(&array, static_cast<std::size_t>(count) * sizeof(T)));
  }
  return std::shared_ptr<T>(array, [](T* pointer) { cudaFree(pointer); });
}

/// cuFFT's plan, released with the last copy. Distances are in elements of the input and of the output.
[[nodiscard]] inline std::shared_ptr<cufftHandle> cufft_plan(long long points, int batch, cufftType type,
                                                             long long in_distance, long long out_distance) {
  const std::shared_ptr<cufftHandle> plan(new cufftHandle{}, [](cufftHandle* handle) {
    cufftDestroy(*handle);
    delete handle;
  });
  int extent = static_cast<int>(points);
  int in = static_cast<int>(in_distance);
  int out = static_cast<int>(out_distance);
  check_fft(cufftPlanMany(plan.get(), 1, &extent, &in, 1, in, &out, 1, out, type, batch));
  return plan;
}
[[nodiscard]] inline std::shared_ptr<cufftHandle> cufft_plan(long long points, int batch, cufftType type) {
  return cufft_plan(points, batch, type, points, points);
}

}  // namespace bench
