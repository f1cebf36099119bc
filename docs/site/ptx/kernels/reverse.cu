// Reverses tiles of 64 numbers.
extern "C" __global__ void reverse(const float* x, float* y, int tiles) {
  __shared__ float tile[64];
#pragma unroll 1
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    tile[threadIdx.x] = x[t * 64 + threadIdx.x];
    __syncthreads();
    y[t * 64 + threadIdx.x] = tile[63 - threadIdx.x];
  }
}
