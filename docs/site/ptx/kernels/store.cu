// Doubles tiles of 64 numbers, and stores each by one bulk copy.
extern "C" __global__ void store(const float* x, float* y, int tiles) {
  __shared__ alignas(16) float tile[64];
#pragma unroll 1
  for (int t = 0; t < tiles; ++t) {
    tile[threadIdx.x] = 2 * x[t * 64 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
      const auto from = static_cast<unsigned>(__cvta_generic_to_shared(tile));
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(y + t * 64), "r"(from)
                   : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
    __syncthreads();
  }
}
