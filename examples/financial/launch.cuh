#pragma once

#include "kernel.hpp"

#include <cuda_runtime.h>

/// The article's steps as kernels.
namespace financial {

/// Without launch bounds the compiler does not know how many warps share an SM's registers.
template <int BigWidth, int SmallWidth, int Unrolled, class T>
__global__ void best_of_sums(const Points<T> job) {
  best_of_thread<BigWidth, SmallWidth, Unrolled>(job, static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
                                                 static_cast<int>(gridDim.x * blockDim.x));
}
/// With them: `Ctas` CTAs of `Threads` threads an SM.
template <int Threads, int Ctas, int BigWidth, int SmallWidth, int Unrolled, class T>
__global__ void __launch_bounds__(Threads, Ctas) best_of_sums_bounded(const Points<T> job) {
  best_of_thread<BigWidth, SmallWidth, Unrolled>(job, static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
                                                 static_cast<int>(gridDim.x * blockDim.x));
}

}  // namespace financial
