// Twice the values that a thread's registers hold.

__global__ void __launch_bounds__(1024) planted_spill(float* values) {
  float held[128];
#pragma unroll
  for (int i = 0; i < 128; ++i) {
    held[i] = values[i * 1024 + threadIdx.x];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 128; ++i) {
    values[i * 1024 + threadIdx.x] = held[i] * held[127 - i];
  }
}
