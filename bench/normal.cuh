#pragma once

#include "measure.hpp"

namespace bench {

/// Normally distributed numbers, element i of them.
[[nodiscard]] inline __device__ float normal_at(long long i) {
  const auto first = static_cast<float>(value_at(2 * i));
  const auto second = static_cast<float>(value_at(2 * i + 1));
  return sqrtf(-2 * logf((first + 0.5F) / 2048)) * cospif(second / 1024);
}

/// `count` of them, as numbers of any type. For any number of CTAs of 256 threads.
template <class Number>
__global__ void fill_normal(Number* numbers, long long count) {
  for (long long i = blockIdx.x * 256LL + threadIdx.x; i < count; i += 256LL * gridDim.x) {
    numbers[i] = static_cast<Number>(normal_at(i));
  }
}

}  // namespace bench
