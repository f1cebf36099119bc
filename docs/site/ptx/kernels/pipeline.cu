// Multiplies tiles of 64 numbers. Warp 0 fetches them by bulk copies into two slots, warps 1 and 2 use them.
extern "C" __global__ void pipeline(const float* x, float* y, float a, int tiles) {
  __shared__ alignas(16) float slot[2][64];
  __shared__ unsigned long long full[2], empty[2];
  const auto at = [](const void* shared) { return static_cast<unsigned>(__cvta_generic_to_shared(shared)); };
  const auto wait = [&](const void* barrier, int phase) {
    asm volatile(
        "{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra again; }" ::"r"(at(barrier)),
        "r"(phase)
        : "memory");
  };
  if (threadIdx.x < 2) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(&full[threadIdx.x])) : "memory");
    asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at(&empty[threadIdx.x])) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
#pragma unroll 1
  for (int t = 0; t < tiles; ++t) {
    const int s = t % 2;
    const int phase = t / 2 % 2;
    if (threadIdx.x == 0) {
      wait(&empty[s], phase ^ 1);
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(at(&full[s])) : "memory");
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(at(slot[s])),
          "l"(x + t * 64), "r"(at(&full[s]))
          : "memory");
    } else if (threadIdx.x >= 32) {
      const int i = threadIdx.x - 32;
      wait(&full[s], phase);
      y[t * 64 + i] = a * slot[s][i];
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at(&empty[s])) : "memory");
    }
  }
}
