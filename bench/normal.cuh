#pragma once

#include "measure.hpp"

namespace bench {

/// Normally distributed numbers, element i of them.
[[nodiscard]] inline __device__ float normal_at(long long i) {
  const auto first = static_cast<float>(value_at(2 * i));
  const auto second = static_cast<float>(value_at(2 * i + 1));
  return sqrtf(-2 * logf((first + 0.5F) / 2048)) * cospif(second / 1024);
}

}  // namespace bench
