// The README's kernel as one writes it without a library: what ours must not exceed. Beside it the same job float by
// float, through registers over mbarriers and over named barriers, with the stages that the library would choose.

#include <cstdint>

constexpr int tile_count = 1024;
constexpr int compute_threads = 128;
constexpr int threads = compute_threads + 32;
constexpr int pieces = tile_count * 4 / 16 / 32;  // 16-byte accesses a DMA thread

__device__ __forceinline__ uint32_t address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ void store(uint4* to, const uint4& word) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address(to)), "r"(word.x), "r"(word.y), "r"(word.z),
               "r"(word.w)
               : "memory");
}

__device__ __forceinline__ void init(uint64_t* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(barrier)), "r"(arrivals) : "memory");
}

__device__ __forceinline__ void wait(uint64_t* barrier, uint32_t parity) {
  uint32_t done = 0;
  while (done == 0) {
    asm volatile(
        "{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
        : "=r"(done)
        : "r"(address(barrier)), "r"(parity)
        : "memory");
  }
}

__device__ __forceinline__ bool elect() {
  uint32_t elected = 0;
  asm volatile("{\n\t.reg .pred p;\n\telect.sync _|p, 0xffffffff;\n\tselp.u32 %0, 1, 0, p;\n\t}" : "=r"(elected));
  return elected != 0;
}

__device__ __forceinline__ void arrive_for_warp(uint64_t* barrier) {
  __syncwarp();
  if (elect()) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(barrier)) : "memory");
  }
}

/// The copy is issued first; the arrival, after the warp has synchronized, expects its bytes.
__global__ __launch_bounds__(threads) void scale_by_hand_bulk(const float* x, float* y, float a, int tiles) {
  constexpr int stages = 2;
  constexpr int tile_bytes = tile_count * 4;
  __shared__ alignas(128) float slots[stages][tile_count];
  __shared__ uint64_t full[stages];
  __shared__ uint64_t empty[stages];
  const int warp = __shfl_sync(0xffffffffU, static_cast<int>(threadIdx.x / 32), 0);
  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; ++s) {
      init(&full[s], 1);
      init(&empty[s], compute_threads / 32);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();

  int stage = 0;
  uint32_t parity = 0;
  if (warp >= compute_threads / 32) {
    bool wrapped = false;
    for (int t = static_cast<int>(blockIdx.x); t < tiles; t += static_cast<int>(gridDim.x)) {
      if (wrapped) {
        wait(&empty[stage], parity ^ 1);
      }
      if (elect()) {
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         address(slots[stage])),
                     "l"(__cvta_generic_to_global(x + t * tile_count)), "r"(tile_bytes), "r"(address(&full[stage]))
                     : "memory");
      }
      __syncwarp();
      if (elect()) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(&full[stage])),
                     "r"(tile_bytes)
                     : "memory");
      }
      if (++stage == stages) {
        stage = 0;
        parity ^= 1;
        wrapped = true;
      }
    }
  } else {
    for (int t = static_cast<int>(blockIdx.x); t < tiles; t += static_cast<int>(gridDim.x)) {
      wait(&full[stage], parity);
      const int thread = static_cast<int>(threadIdx.x);
      __builtin_assume(thread >= 0 && thread < compute_threads);
      const auto* const x4 = reinterpret_cast<const float4*>(slots[stage]);
      auto* const y4 = reinterpret_cast<float4*>(y + t * tile_count);
      for (int i = thread; i < tile_count / 4; i += compute_threads) {
        const float4 value = x4[i];
        y4[i] = make_float4(a * value.x, a * value.y, a * value.z, a * value.w);
      }
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      arrive_for_warp(&empty[stage]);
      if (++stage == stages) {
        stage = 0;
        parity ^= 1;
      }
    }
  }
}

__global__ __launch_bounds__(threads) void scale_by_hand_phase(const float* x, float* y, float a, int tiles) {
  constexpr int stages = 10;
  __shared__ alignas(128) float slots[stages][tile_count];
  __shared__ uint64_t full[stages];
  __shared__ uint64_t empty[stages];
  const int warp = __shfl_sync(0xffffffffU, static_cast<int>(threadIdx.x / 32), 0);
  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; ++s) {
      init(&full[s], 1);
      init(&empty[s], compute_threads / 32);
    }
  }
  __syncthreads();

  int stage = 0;
  uint32_t parity = 0;
  if (warp >= compute_threads / 32) {
    bool wrapped = false;
    const int lane = static_cast<int>(threadIdx.x) - compute_threads;
    for (int t = static_cast<int>(blockIdx.x); t < tiles; t += static_cast<int>(gridDim.x)) {
      const uint4* from = reinterpret_cast<const uint4*>(x + t * tile_count) + lane;
      uint4 held[pieces];
#pragma unroll
      for (int i = 0; i < pieces; ++i) {
        held[i] = from[i * 32];
      }
      if (wrapped) {
        wait(&empty[stage], parity ^ 1);
      }
      uint4* to = reinterpret_cast<uint4*>(slots[stage]) + lane;
#pragma unroll
      for (int i = 0; i < pieces; ++i) {
        store(to + i * 32, held[i]);
      }
      arrive_for_warp(&full[stage]);
      if (++stage == stages) {
        stage = 0;
        parity ^= 1;
        wrapped = true;
      }
    }
  } else {
    for (int t = static_cast<int>(blockIdx.x); t < tiles; t += static_cast<int>(gridDim.x)) {
      wait(&full[stage], parity);
      const int thread = static_cast<int>(threadIdx.x);
      __builtin_assume(thread >= 0 && thread < compute_threads);
      for (int i = thread; i < tile_count; i += compute_threads) {
        y[t * tile_count + i] = a * slots[stage][i];
      }
      arrive_for_warp(&empty[stage]);
      if (++stage == stages) {
        stage = 0;
        parity ^= 1;
      }
    }
  }
}

__global__ __launch_bounds__(threads) void scale_by_hand_named(const float* x, float* y, float a, int tiles) {
  constexpr int stages = 7;
  __shared__ alignas(128) float slots[stages][tile_count];
  const int warp = __shfl_sync(0xffffffffU, static_cast<int>(threadIdx.x / 32), 0);
  const auto sync = [](int id) { asm volatile("barrier.cta.sync.aligned %0, %1;" ::"r"(id), "r"(threads) : "memory"); };
  const auto arrive = [](int id) {
    asm volatile("barrier.cta.arrive.aligned %0, %1;" ::"r"(id), "r"(threads) : "memory");
  };

  int stage = 0;
  bool wrapped = false;
  if (warp >= compute_threads / 32) {
    const int lane = static_cast<int>(threadIdx.x) - compute_threads;
    for (int t = static_cast<int>(blockIdx.x); t < tiles; t += static_cast<int>(gridDim.x)) {
      const uint4* from = reinterpret_cast<const uint4*>(x + t * tile_count) + lane;
      uint4 held[pieces];
#pragma unroll
      for (int i = 0; i < pieces; ++i) {
        held[i] = from[i * 32];
      }
      if (wrapped) {
        sync(2 + 2 * stage);
      }
      uint4* to = reinterpret_cast<uint4*>(slots[stage]) + lane;
#pragma unroll
      for (int i = 0; i < pieces; ++i) {
        store(to + i * 32, held[i]);
      }
      arrive(1 + 2 * stage);
      if (++stage == stages) {
        stage = 0;
        wrapped = true;
      }
    }
    __syncwarp();
#pragma unroll 1
    for (int s = 0; s < stages; ++s) {
      if (wrapped || s < stage) {
        sync(2 + 2 * s);
      }
    }
  } else {
    for (int t = static_cast<int>(blockIdx.x); t < tiles; t += static_cast<int>(gridDim.x)) {
      __syncwarp();
      sync(1 + 2 * stage);
      const int thread = static_cast<int>(threadIdx.x);
      __builtin_assume(thread >= 0 && thread < compute_threads);
      for (int i = thread; i < tile_count; i += compute_threads) {
        y[t * tile_count + i] = a * slots[stage][i];
      }
      __syncwarp();
      arrive(2 + 2 * stage);
      if (++stage == stages) {
        stage = 0;
      }
    }
  }
}
