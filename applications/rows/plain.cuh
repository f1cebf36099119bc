#pragma once

#include "layer_norm/plain.cuh"

/// The layer norm of short rows as one writes it without a library: a warp a row, in registers.
template <int Columns, int Warps>
__global__ __launch_bounds__(32 * Warps) void plain_layer_norm_of_warps(const float* __restrict__ x,
                                                                        const float* __restrict__ scale,
                                                                        const float* __restrict__ shift,
                                                                        float* __restrict__ y, int rows,
                                                                        float epsilon) {
  constexpr int vectors = Columns / 128;
  const int row = static_cast<int>(blockIdx.x * Warps + threadIdx.x / 32);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (row >= rows) {
    return;
  }
  const auto* const x4 = reinterpret_cast<const float4*>(x + static_cast<long long>(row) * Columns);
  float4 values[vectors];
  float sum = 0;
#pragma unroll
  for (int k = 0; k < vectors; ++k) {
    values[k] = x4[lane + k * 32];
    sum += (values[k].x + values[k].y) + (values[k].z + values[k].w);
  }
  const float mean = sum_of_warp(sum) / Columns;
  sum = 0;
#pragma unroll
  for (float4& v : values) {
    v = make_float4(v.x - mean, v.y - mean, v.z - mean, v.w - mean);
    sum += (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
  }
  const float factor = 1.0F / sqrtf(sum_of_warp(sum) / Columns + epsilon);
  auto* const y4 = reinterpret_cast<float4*>(y + static_cast<long long>(row) * Columns);
#pragma unroll
  for (int k = 0; k < vectors; ++k) {
    const float4 a = reinterpret_cast<const float4*>(scale)[lane + k * 32];
    const float4 b = reinterpret_cast<const float4*>(shift)[lane + k * 32];
    y4[lane + k * 32] = make_float4(values[k].x * factor * a.x + b.x, values[k].y * factor * a.y + b.y,
                                    values[k].z * factor * a.z + b.z, values[k].w * factor * a.w + b.w);
  }
}

/// The layer norm of long rows as one writes it without a library: a CTA of 1024 threads a row, which it reads twice,
/// the second time from its end, which is in the L2. Mean and variance are of the distances from the row's first
/// element, so that large means cost no digits.
__global__ __launch_bounds__(1024) void plain_long_layer_norm(const float* __restrict__ x,
                                                              const float* __restrict__ scale,
                                                              const float* __restrict__ shift, float* __restrict__ y,
                                                              int columns, float epsilon) {
  constexpr int threads = 1024;
  __shared__ float sums[32];
  __shared__ float squares[32];
  const long long row = static_cast<long long>(blockIdx.x) * columns;
  const auto* const x4 = reinterpret_cast<const float4*>(x + row);
  const float pivot = x[row];
  const int first = static_cast<int>(threadIdx.x);
  float sum = 0;
  float square = 0;
#pragma unroll 4
  for (int i = first; i < columns / 4; i += threads) {
    const float4 v = x4[i];
    const float4 d = make_float4(v.x - pivot, v.y - pivot, v.z - pivot, v.w - pivot);
    sum += (d.x + d.y) + (d.z + d.w);
    square += (d.x * d.x + d.y * d.y) + (d.z * d.z + d.w * d.w);
  }
  const float distance = sum_of_cta<threads>(sum, sums) / static_cast<float>(columns);
  const float variance = sum_of_cta<threads>(square, squares) / static_cast<float>(columns) - distance * distance;
  const float mean = pivot + distance;
  const float factor = 1.0F / sqrtf(variance + epsilon);
  auto* const y4 = reinterpret_cast<float4*>(y + row);
#pragma unroll 4
  for (int i = columns / 4 - threads + first; i >= 0; i -= threads) {
    const float4 v = __ldcs(x4 + i);
    const float4 a = reinterpret_cast<const float4*>(scale)[i];
    const float4 b = reinterpret_cast<const float4*>(shift)[i];
    __stcs(y4 + i, make_float4((v.x - mean) * factor * a.x + b.x, (v.y - mean) * factor * a.y + b.y,
                               (v.z - mean) * factor * a.z + b.z, (v.w - mean) * factor * a.w + b.w));
  }
}

__device__ inline float maximum_of_warp(float value) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value = fmaxf(value, __shfl_xor_sync(0xffffffffU, value, distance));
  }
  return value;
}

/// Softmax of short rows as one writes it without a library: a CTA a row, or several rows where `Threads` is 32, in
/// registers.
template <int Columns, int Threads, int Rows>
__global__ __launch_bounds__(Threads* Rows) void plain_softmax(const float* __restrict__ x, float* __restrict__ y,
                                                               int rows) {
  static_assert(Rows == 1 || Threads == 32);
  constexpr int vectors = Columns / 4 / Threads;
  __shared__ float maxima[32];
  __shared__ float sums[32];
  const int row = static_cast<int>(blockIdx.x * Rows + threadIdx.x / Threads);
  const int rank = static_cast<int>(threadIdx.x) % Threads;
  if (row >= rows) {
    return;
  }
  const auto* const x4 = reinterpret_cast<const float4*>(x + static_cast<long long>(row) * Columns);
  float4 values[vectors];
#pragma unroll
  for (int k = 0; k < vectors; ++k) {
    values[k] = x4[rank + k * Threads];
  }
  float maximum = values[0].x;
#pragma unroll
  for (const float4& v : values) {
    maximum = fmaxf(maximum, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
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
  for (float4& v : values) {
    v = make_float4(expf(v.x - maximum), expf(v.y - maximum), expf(v.z - maximum), expf(v.w - maximum));
    sum += (v.x + v.y) + (v.z + v.w);
  }
  if constexpr (Threads > 32) {
    sum = sum_of_cta<Threads>(sum, sums);
  } else {
    sum = sum_of_warp(sum);
  }
  const float factor = 1.0F / sum;
  auto* const y4 = reinterpret_cast<float4*>(y + static_cast<long long>(row) * Columns);
#pragma unroll
  for (int k = 0; k < vectors; ++k) {
    y4[rank + k * Threads] =
        make_float4(values[k].x * factor, values[k].y * factor, values[k].z * factor, values[k].w * factor);
  }
}
