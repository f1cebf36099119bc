#pragma once

/// The sums of bags as one writes them without a library: a warp a bag, `Vectors` float4 of a row a lane, four rows at
/// a time. The warp reads 32 ids at once and passes them on by shuffles.
template <int Vectors>
__global__ void plain_sum_bags(const float4* __restrict__ table, const int* __restrict__ ids,
                               const int* __restrict__ offsets, int bags, float4* __restrict__ sums) {
  constexpr int at_once = 4;
  constexpr unsigned all = 0xffffffffU;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int bag = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (bag >= bags) {
    return;
  }
  const int end = offsets[bag + 1];
  float4 sum[Vectors] = {};
  for (int first = offsets[bag]; first < end; first += 32) {
    const int count = end - first < 32 ? end - first : 32;
    const int mine = lane < count ? ids[first + lane] : 0;
    for (int k = 0; k < count; k += at_once) {
      float4 rows[at_once][Vectors];
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
        const long long row = __shfl_sync(all, mine, k + u);
#pragma unroll
        for (int j = 0; j < Vectors; ++j) {
          rows[u][j] = k + u < count ? table[row * (Vectors * 32) + j * 32 + lane] : make_float4(0, 0, 0, 0);
        }
      }
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
#pragma unroll
        for (int j = 0; j < Vectors; ++j) {
          sum[j] = make_float4(sum[j].x + rows[u][j].x, sum[j].y + rows[u][j].y, sum[j].z + rows[u][j].z,
                               sum[j].w + rows[u][j].w);
        }
      }
    }
  }
#pragma unroll
  for (int j = 0; j < Vectors; ++j) {
    sums[static_cast<long long>(bag) * (Vectors * 32) + j * 32 + lane] = sum[j];
  }
}

/// Their backward: each bag's warp keeps the gradient of its sum and adds it to the bag's rows, four floats at a time.
template <int Vectors>
__global__ void plain_add_to_rows_of_bags(const float4* __restrict__ sums_gradient, const int* __restrict__ ids,
                                          const int* __restrict__ offsets, int bags,
                                          float4* __restrict__ table_gradient) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int bag = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (bag >= bags) {
    return;
  }
  float4 gradient[Vectors];
#pragma unroll
  for (int j = 0; j < Vectors; ++j) {
    gradient[j] = sums_gradient[static_cast<long long>(bag) * (Vectors * 32) + j * 32 + lane];
  }
  const int end = offsets[bag + 1];
  for (int k = offsets[bag]; k < end; ++k) {
    const long long row = ids[k];
#pragma unroll
    for (int j = 0; j < Vectors; ++j) {
      atomicAdd(table_gradient + row * (Vectors * 32) + j * 32 + lane, gradient[j]);
    }
  }
}
