#pragma once

/// How far complex results of single precision are from those of double precision.

#include "../applications/fft/complex.hpp"
#include "cufft.cuh"
#include "measure.hpp"

#include <cmath>

#include <cuda_runtime.h>

namespace bench {

static __global__ void widen(const fft::Complex* from, double2* to, long long count) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    to[i] = make_double2(from[i].re, from[i].im);
  }
}

/// Adds up the squares of the differences and of the exact results.
static __global__ void add_squares(const fft::Complex* results, const double2* exact, long long count, double* sums) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  double errors = 0;
  double squares = 0;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    const double re = results[i].re - exact[i].x;
    const double im = results[i].im - exact[i].y;
    errors += re * re + im * im;
    squares += exact[i].x * exact[i].x + exact[i].y * exact[i].y;
  }
  atomicAdd(&sums[0], errors);
  atomicAdd(&sums[1], squares);
}

/// The root mean square of the errors of `count` results, relative to that of the results.
[[nodiscard]] inline double relative_error(const fft::Complex* results, const double2* exact, long long count,
                                           cudaStream_t stream) {
  const auto sums = device_array<double>(2);
  check(cudaMemsetAsync(sums.get(), 0, 2 * sizeof(double), stream));
  add_squares<<<256, 256, 0, stream>>>(results, exact, count, sums.get());
  double found[2];
  check(cudaMemcpyAsync(found, sums.get(), sizeof found, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  return std::sqrt(found[0] / found[1]);
}

}  // namespace bench
