#pragma once

/// Transposes of a square matrix of n x n floats.

#include "../transpose.cuh"

namespace by_hand {

/// Rows are read along, columns written down: neighbours in a warp write n floats apart.
template <int Side>
__global__ __launch_bounds__(Side* Side) void transpose_naive(const float* from, float* to, int n) {
  const int col = static_cast<int>(blockIdx.x * Side + threadIdx.x % Side);
  const int row = static_cast<int>(blockIdx.y * Side + threadIdx.x / Side);
  to[static_cast<long long>(col) * n + row] = from[static_cast<long long>(row) * n + col];
}

/// The well-known tile of 32 x 33 floats.
__global__ __launch_bounds__(256) void transpose_padded(const float* from, float* to, int n) {
  __shared__ float tile[32][33];
  const int x = static_cast<int>(threadIdx.x % 32);
  const int y = static_cast<int>(threadIdx.x / 32);
  const int row = static_cast<int>(blockIdx.y * 32);
  const int col = static_cast<int>(blockIdx.x * 32);
#pragma unroll
  for (int i = 0; i < 32; i += 8) {
    tile[y + i][x] = from[static_cast<long long>(row + y + i) * n + col + x];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 32; i += 8) {
    to[static_cast<long long>(col + y + i) * n + row + x] = tile[x][y + i];
  }
}

/// 64 x 64 floats a CTA, 16 bytes an access everywhere: blocks of 4 x 4 are turned round in registers, and a swizzle of
/// 16-byte words keeps both sides of shared memory free of conflicts. CTAs follow one another down the matrix, so that
/// what they write at a time is contiguous; along its rows, what they read, costs 2.5%.
__global__ __launch_bounds__(256) void transpose_wide(const float* from, float* to, int n) {
  __shared__ float4 tile[64][16];  // (COLUMN, ROW / 4)
  const int x = static_cast<int>(threadIdx.x % 16);
  const int y = static_cast<int>(threadIdx.x / 16);
  const int row = static_cast<int>(blockIdx.x * 64);
  const int col = static_cast<int>(blockIdx.y * 64);
  float4 m[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    m[i] = *reinterpret_cast<const float4*>(from + static_cast<long long>(row + 4 * y + i) * n + col + 4 * x);
  }
  bench::transpose_in_registers(m);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    tile[4 * x + i][y ^ x] = m[i];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int c = y + 16 * i;
    *reinterpret_cast<float4*>(to + static_cast<long long>(col + c) * n + row + 4 * x) = tile[c][x ^ (c / 4)];
  }
}

}  // namespace by_hand
