#pragma once

#include "../layer_norm/plain.cuh"

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

/// The layer norm of long rows as one writes it without a library: a CTA of 1024 threads a row, which it reads three
/// times, of which the last two are in the L2.
__global__ __launch_bounds__(1024) void plain_long_layer_norm(const float* __restrict__ x,
                                                              const float* __restrict__ scale,
                                                              const float* __restrict__ shift, float* __restrict__ y,
                                                              int columns, float epsilon) {
  constexpr int threads = 1024;
  __shared__ float sums[32];
  __shared__ float squares[32];
  const long long row = static_cast<long long>(blockIdx.x) * columns;
  const auto* const x4 = reinterpret_cast<const float4*>(x + row);
  const int first = static_cast<int>(threadIdx.x);
  float sum = 0;
#pragma unroll 4
  for (int i = first; i < columns / 4; i += threads) {
    const float4 v = x4[i];
    sum += (v.x + v.y) + (v.z + v.w);
  }
  const float mean = sum_of_cta<threads>(sum, sums) / static_cast<float>(columns);
  sum = 0;
#pragma unroll 4
  for (int i = first; i < columns / 4; i += threads) {
    const float4 v = x4[i];
    const float4 d = make_float4(v.x - mean, v.y - mean, v.z - mean, v.w - mean);
    sum += (d.x * d.x + d.y * d.y) + (d.z * d.z + d.w * d.w);
  }
  const float factor = 1.0F / sqrtf(sum_of_cta<threads>(sum, squares) / static_cast<float>(columns) + epsilon);
  auto* const y4 = reinterpret_cast<float4*>(y + row);
#pragma unroll 4
  for (int i = first; i < columns / 4; i += threads) {
    const float4 v = x4[i];
    const float4 a = reinterpret_cast<const float4*>(scale)[i];
    const float4 b = reinterpret_cast<const float4*>(shift)[i];
    y4[i] = make_float4((v.x - mean) * factor * a.x + b.x, (v.y - mean) * factor * a.y + b.y,
                        (v.z - mean) * factor * a.z + b.z, (v.w - mean) * factor * a.w + b.w);
  }
}
