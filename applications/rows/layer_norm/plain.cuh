#pragma once

/// The layer norm as one writes it without a library: a CTA a row, whose threads keep it in registers, four floats an
/// access. Mean and variance one after the other, so that both are as exact as the library's.

__device__ inline float sum_of_warp(float value) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(0xffffffffU, value, distance);
  }
  return value;
}

/// The sum over the CTA. `of_warps` may be used again after the next call with other memory.
template <int Threads>
__device__ float sum_of_cta(float value, float (&of_warps)[32]) {
  value = sum_of_warp(value);
  if (threadIdx.x % 32 == 0) {
    of_warps[threadIdx.x / 32] = value;
  }
  __syncthreads();
  return sum_of_warp(threadIdx.x % 32 < Threads / 32 ? of_warps[threadIdx.x % 32] : 0.0F);
}

template <int Columns, int Threads>
__global__ __launch_bounds__(Threads) void plain_layer_norm(const float* __restrict__ x,
                                                            const float* __restrict__ scale,
                                                            const float* __restrict__ shift, float* __restrict__ y,
                                                            float epsilon) {
  constexpr int vectors = Columns / 4 / Threads;
  __shared__ float sums[32];
  __shared__ float squares[32];
  const long long row = static_cast<long long>(blockIdx.x) * Columns;
  const auto* const x4 = reinterpret_cast<const float4*>(x + row);
  float4 values[vectors];
#pragma unroll
  for (int k = 0; k < vectors; ++k) {
    values[k] = x4[threadIdx.x + k * Threads];
  }
  float sum = 0;
#pragma unroll
  for (const float4& v : values) {
    sum += (v.x + v.y) + (v.z + v.w);
  }
  const float mean = sum_of_cta<Threads>(sum, sums) / Columns;
  sum = 0;
#pragma unroll
  for (float4& v : values) {
    v = make_float4(v.x - mean, v.y - mean, v.z - mean, v.w - mean);
    sum += (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
  }
  const float factor = 1.0F / sqrtf(sum_of_cta<Threads>(sum, squares) / Columns + epsilon);
  auto* const y4 = reinterpret_cast<float4*>(y + row);
#pragma unroll
  for (int k = 0; k < vectors; ++k) {
    const int i = static_cast<int>(threadIdx.x) + k * Threads;
    const float4 a = reinterpret_cast<const float4*>(scale)[i];
    const float4 b = reinterpret_cast<const float4*>(shift)[i];
    y4[i] = make_float4(values[k].x * factor * a.x + b.x, values[k].y * factor * a.y + b.y,
                        values[k].z * factor * a.z + b.z, values[k].w * factor * a.w + b.w);
  }
}
