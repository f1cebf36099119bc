#pragma once

#include "element.hpp"
#include "plain.cuh"

/// RMS norm, layer norm and log-sum-exp of short rows, of floats and bfloat16, and the backward of the layer norm, as
/// one writes them without a library: `Threads` threads a row, which they keep in registers.

/// A thread's elements of a row as floats, 16 bytes an access.
template <class T, int Columns, int Threads>
struct PlainRow {
  static constexpr int width = 16 / static_cast<int>(sizeof(T));
  static constexpr int vectors = Columns / width / Threads;
  static constexpr int count = vectors * width;
  static_assert(count * Threads == Columns);
  union Vector {
    uint4 bits;
    T elements[width];
    __device__ Vector() : bits() {}
  };
  float values[count];

  __device__ void read(const T* __restrict__ row, int rank) {
#pragma unroll
    for (int k = 0; k < vectors; ++k) {
      Vector vector;
      vector.bits = reinterpret_cast<const uint4*>(row)[rank + k * Threads];
#pragma unroll
      for (int e = 0; e < width; ++e) {
        values[k * width + e] = float_of(vector.elements[e]);
      }
    }
  }
  __device__ void write(T* __restrict__ row, int rank) const {
#pragma unroll
    for (int k = 0; k < vectors; ++k) {
      Vector vector;
#pragma unroll
      for (int e = 0; e < width; ++e) {
        round_to(vector.elements[e], values[k * width + e]);
      }
      reinterpret_cast<uint4*>(row)[rank + k * Threads] = vector.bits;
    }
  }
};

/// Over the threads of a row; over a warp where there are 32.
template <int Threads>
__device__ float sum_of_row(float value, float (&of_warps)[32]) {
  if constexpr (Threads == 32) {
    return sum_of_warp(value);
  } else {
    return sum_of_cta<Threads>(value, of_warps);
  }
}

/// A row a CTA, or `Rows` rows where a row has 32 threads. With `Parameters` of 2 the layer norm; with 1, of scale
/// alone, the RMS norm.
template <class T, int Columns, int Threads, int Rows, int Parameters>
__global__ __launch_bounds__(Threads* Rows) void plain_norm(const T* __restrict__ x, const T* __restrict__ scale,
                                                            const T* __restrict__ shift, T* __restrict__ y, int rows,
                                                            float epsilon) {
  static_assert(Rows == 1 || Threads == 32);
  using Row = PlainRow<T, Columns, Threads>;
  __shared__ float sums[32];
  __shared__ float squares[32];
  const int row = static_cast<int>(blockIdx.x * Rows + threadIdx.x / Threads);
  const int rank = static_cast<int>(threadIdx.x) % Threads;
  if (row >= rows) {
    return;
  }
  Row values;
  values.read(x + static_cast<long long>(row) * Columns, rank);
  if constexpr (Parameters == 2) {
    float sum = 0;
#pragma unroll
    for (const float value : values.values) {
      sum += value;
    }
    const float mean = sum_of_row<Threads>(sum, sums) / Columns;
#pragma unroll
    for (float& value : values.values) {
      value -= mean;
    }
  }
  float square = 0;
#pragma unroll
  for (const float value : values.values) {
    square += value * value;
  }
  const float factor = 1.0F / sqrtf(sum_of_row<Threads>(square, squares) / Columns + epsilon);
  Row scales;
  scales.read(scale, rank);
  Row shifts{};
  if constexpr (Parameters == 2) {
    shifts.read(shift, rank);
  }
#pragma unroll
  for (int i = 0; i < Row::count; ++i) {
    values.values[i] = values.values[i] * factor * scales.values[i] + shifts.values[i];
  }
  values.write(y + static_cast<long long>(row) * Columns, rank);
}

template <int Columns, int Threads, int Rows>
__global__ __launch_bounds__(Threads* Rows) void plain_log_sum_exp(const float* __restrict__ x,
                                                                   float* __restrict__ results, int rows) {
  static_assert(Rows == 1 || Threads == 32);
  __shared__ float maxima[32];
  __shared__ float sums[32];
  const int row = static_cast<int>(blockIdx.x * Rows + threadIdx.x / Threads);
  const int rank = static_cast<int>(threadIdx.x) % Threads;
  if (row >= rows) {
    return;
  }
  PlainRow<float, Columns, Threads> values;
  values.read(x + static_cast<long long>(row) * Columns, rank);
  float maximum = values.values[0];
#pragma unroll
  for (const float value : values.values) {
    maximum = fmaxf(maximum, value);
  }
  maximum = maximum_of_warp(maximum);
  if constexpr (Threads > 32) {
    if (rank % 32 == 0) {
      maxima[rank / 32] = maximum;
    }
    __syncthreads();
    maximum = maximum_of_warp(maxima[rank % (Threads / 32)]);
  }
  float sum = 0;
#pragma unroll
  for (const float value : values.values) {
    sum += expf(value - maximum);
  }
  sum = sum_of_row<Threads>(sum, sums);
  if (rank == 0) {
    results[row] = maximum + logf(sum);
  }
}

/// The gradients of x, and of scale and shift, which are zero before: a persistent grid of CTAs, which keep the sums
/// of their rows in registers.
template <int Columns, int Threads>
__global__ __launch_bounds__(Threads) void plain_layer_norm_backward(
    const float* __restrict__ x, const float* __restrict__ dy, const float* __restrict__ scale,
    const float2* __restrict__ statistics, float* __restrict__ dx, float* __restrict__ scale_gradient,
    float* __restrict__ shift_gradient, int rows) {
  using Row = PlainRow<float, Columns, Threads>;
  __shared__ float sums[2][32];
  __shared__ float projections[2][32];
  const int rank = static_cast<int>(threadIdx.x);
  Row scales;
  scales.read(scale, rank);
  Row of_scale{};
  Row of_shift{};
  int turn = 0;
  for (int row = static_cast<int>(blockIdx.x); row < rows; row += static_cast<int>(gridDim.x)) {
    const float2 of_row = statistics[row];
    Row normalized;
    normalized.read(x + static_cast<long long>(row) * Columns, rank);
    Row gradient;
    gradient.read(dy + static_cast<long long>(row) * Columns, rank);
    float sum = 0;
    float projection = 0;
#pragma unroll
    for (int i = 0; i < Row::count; ++i) {
      float& n = normalized.values[i];
      float& g = gradient.values[i];
      n = (n - of_row.x) * of_row.y;
      of_scale.values[i] += g * n;
      of_shift.values[i] += g;
      g *= scales.values[i];
      sum += g;
      projection += g * n;
    }
    const float mean = sum_of_cta<Threads>(sum, sums[turn]) / Columns;
    const float slope = sum_of_cta<Threads>(projection, projections[turn]) / Columns;
#pragma unroll
    for (int i = 0; i < Row::count; ++i) {
      gradient.values[i] = of_row.y * (gradient.values[i] - mean - normalized.values[i] * slope);
    }
    gradient.write(dx + static_cast<long long>(row) * Columns, rank);
    turn ^= 1;
  }
#pragma unroll
  for (int i = 0; i < Row::count; ++i) {
    const int column = (rank + i / Row::width * Threads) * Row::width + i % Row::width;
    atomicAdd(scale_gradient + column, of_scale.values[i]);
    atomicAdd(shift_gradient + column, of_shift.values[i]);
  }
}
