#pragma once

#include <dma/config.hpp>
#include <dma/machine/gpu/ptx/grid.hpp>
#include <dma/machine/gpu/ptx/warp.hpp>

/// Delays by a seed, for kernels compiled with DMA_JITTER: an order of threads that rarely happens, happens.
#if DMA_JITTER && defined(__CUDACC__)

namespace dma::inline v0_1::machine {

/// 0: no delays. A constant of each translation unit; `dma/launch/jitter_seed.hpp` sets it.
[[maybe_unused]] static __constant__ unsigned jitter_seed = DMA_JITTER;

#if defined(__CUDA_ARCH__)

/// Source: C. Wellons, hash-prospector, lowbias32
[[nodiscard]] DMA_DEVICE unsigned mix(unsigned bits) {
  bits = (bits ^ (bits >> 16)) * 0x7feb352dU;
  bits = (bits ^ (bits >> 15)) * 0x846ca68bU;
  return bits ^ (bits >> 16);
}

/// Nanoseconds for 32 random bits: mostly none, one time in 8 up to 2 microseconds, one in 64 up to 0.26 ms. A slow
/// warp falls behind: up to 8 microseconds each time.
[[nodiscard]] DMA_DEVICE unsigned delay_ns(unsigned bits, bool is_slow) {
  constexpr unsigned short_ns = 1U << 11;
  constexpr unsigned slow_ns = 1U << 13;
  constexpr unsigned long_ns = 1U << 18;
  const unsigned kind = bits % 64;
  const unsigned limit_ns = kind == 0 ? long_ns : is_slow ? slow_ns : kind < 8 ? short_ns : 1;
  return (bits >> 6) % limit_ns;
}

/// The operations that a warp has done. Shared memory is not cleared before a CTA, so the count says whose it is.
struct JitterCount {
  unsigned cta;
  unsigned operations;
};
[[nodiscard]] DMA_DEVICE unsigned next_operation(unsigned block) {
  __shared__ JitterCount counts[32];
  JitterCount& count = counts[threadIdx.x / 32];
  const unsigned cta = mix(static_cast<unsigned>(ptx::grid_id())) + block;
  if (count.cta != cta) {
    count = {cta, 0};
  }
  return atomicAdd(&count.operations, 1U);
}
/// The next delay of this warp: a hash of the seed, the block, the warp and the number of the operation.
[[nodiscard]] DMA_DEVICE unsigned next_delay_ns() {
  constexpr unsigned one_slow_in = 8;
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned warp = mix(mix(mix(jitter_seed) + block) + threadIdx.x / 32);
  return delay_ns(mix(warp + next_operation(block)), warp % one_slow_in == 0);
}

/// Delays the lanes that are converged. Not inlined: it is called around each operation.
inline __device__ __noinline__ void jitter() {
  if (jitter_seed == 0) {
    return;
  }
  const unsigned lanes = __activemask();
  const int leader = __ffs(static_cast<int>(lanes)) - 1;
  unsigned delay = 0;
  if (static_cast<int>(threadIdx.x % 32) == leader) {
    delay = next_delay_ns();
  }
  delay = __shfl_sync(lanes, delay, leader);
  const unsigned long long start_ns = ptx::global_timer_ns();
  while (delay != 0 && ptx::global_timer_ns() - start_ns < delay) {
    __nanosleep(100);
  }
  __syncwarp(lanes);
}

#endif

}  // namespace dma::inline v0_1::machine

#elif defined(__CUDA_ARCH__)

namespace dma::inline v0_1::machine {

DMA_DEVICE void jitter() {}

}  // namespace dma::inline v0_1::machine

#endif
