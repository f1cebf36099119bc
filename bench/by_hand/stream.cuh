#pragma once

/// Tiles streamed through shared memory by DMA warps, as one writes it without a library: the references of the staging
/// and saturation sweeps. The dynamic shared memory of each is `Stages * TileBytes`.

#include "../stream.cuh"
#include "ptx.cuh"

namespace by_hand {

using bench::Stream;

extern __shared__ __align__(128) unsigned char slots[];  // (STAGE, TILE BYTE)

/// How DMA warps move a tile, and how they say that it is there.
enum class Way { registers_phase, registers_named, cp_async, bulk };

/// One DMA group of `DmaWarps` warps behind `ComputeThreads` compute threads.
///
/// registers: as many 16-byte loads in flight a thread as a tile needs, issued before the wait for an empty slot;
/// cp.async: the barrier hears of each thread's copies; bulk: one copy a tile by an elected lane, one DMA warp.
/// The slot is given back as soon as its values are in registers.
template <Way way, int K, int ComputeThreads, int DmaWarps, int MinCtas, int TileBytes, int Stages, int Width>
__global__ __launch_bounds__(ComputeThreads + DmaWarps * 32, MinCtas) void stream(const Stream job) {
  constexpr int dma_threads = DmaWarps * 32;
  constexpr int threads = ComputeThreads + dma_threads;
  constexpr int compute_warps = ComputeThreads / 32;
  constexpr int tile_elements = TileBytes / 4;
  constexpr int pieces = TileBytes / 16 / dma_threads;
  static_assert(way != Way::bulk || DmaWarps == 1);

  __shared__ uint64_t full[Stages];
  __shared__ uint64_t empty[Stages];
  const int warp = uniform_warp();
  if constexpr (way != Way::registers_named) {
    if (threadIdx.x == 0) {
      for (int s = 0; s < Stages; ++s) {
        init(&full[s], way == Way::bulk ? 1 : way == Way::cp_async ? dma_threads : DmaWarps);
        init(&empty[s], compute_warps);
      }
      fence_init();
    }
    __syncthreads();
  }

  Ring<Stages> ring;
  if (warp >= compute_warps) {
    const int lane = static_cast<int>(threadIdx.x) - ComputeThreads;
    const auto wait_until_empty = [&] {
      if (ring.wrapped) {
        if constexpr (way == Way::registers_named) {
          named_sync(2 + 2 * ring.stage, threads);
        } else {
          wait(&empty[ring.stage], ring.parity ^ 1);
        }
      }
    };
    for (int t = static_cast<int>(blockIdx.x); t < job.tiles; t += static_cast<int>(gridDim.x)) {
      const float* const from = job.x + static_cast<long long>(t) * tile_elements;
      unsigned char* const slot = slots + ring.stage * TileBytes;
      if constexpr (way == Way::bulk) {
        wait_until_empty();
        if (elect()) {
          arrive_expecting(&full[ring.stage], TileBytes);
          copy_bulk(slot, from, TileBytes, &full[ring.stage]);
        }
        __syncwarp();
      } else if constexpr (way == Way::cp_async) {
        wait_until_empty();
#pragma unroll
        for (int i = 0; i < pieces; ++i) {
          copy_async(slot + (lane + i * dma_threads) * 16, from + (lane + i * dma_threads) * 4);
        }
        arrive_when_copied(&full[ring.stage]);
      } else {
        uint4 held[pieces];
#pragma unroll
        for (int i = 0; i < pieces; ++i) {
          held[i] = load(reinterpret_cast<const uint4*>(from) + lane + i * dma_threads);
        }
        wait_until_empty();
#pragma unroll
        for (int i = 0; i < pieces; ++i) {
          store_shared(slot + (lane + i * dma_threads) * 16, held[i]);
        }
        if constexpr (way == Way::registers_named) {
          named_arrive(1 + 2 * ring.stage, threads);
        } else {
          arrive_for_warp(&full[ring.stage]);
        }
      }
      ring.advance();
    }
    if constexpr (way == Way::registers_named) {  // nothing stays armed
#pragma unroll 1
      for (int s = 0; s < Stages; ++s) {
        if (ring.wrapped || s < ring.stage) {
          named_sync(2 + 2 * s, threads);
        }
      }
    }
  } else {
    const int thread = static_cast<int>(threadIdx.x);
    float sums[4] = {};
    for (int t = static_cast<int>(blockIdx.x); t < job.tiles; t += static_cast<int>(gridDim.x)) {
      if constexpr (way == Way::registers_named) {
        named_sync(1 + 2 * ring.stage, threads);
      } else {
        wait(&full[ring.stage], ring.parity);
      }
      float v[tile_elements / ComputeThreads];
      bench::read_elements<Width, ComputeThreads>(reinterpret_cast<const float*>(slots + ring.stage * TileBytes),
                                                  thread, v);
      if constexpr (way == Way::registers_named) {
        named_arrive(2 + 2 * ring.stage, threads);
      } else {
        if constexpr (way == Way::bulk) {
          fence_for_bulk_copy();
        }
        arrive_for_warp(&empty[ring.stage]);
      }
      bench::multiply_add<K>(v, job, sums);
      ring.advance();
    }
    bench::write_sum(job, thread, ComputeThreads, sums);
  }
}

/// The paper's baseline: every thread loads 4 bytes, all meet, all compute, all meet.
template <int K, int Threads, int MinCtas>
__global__ __launch_bounds__(Threads, MinCtas) void stream_naive(const Stream job) {
  __shared__ float slot[Threads];
  const int thread = static_cast<int>(threadIdx.x);
  float sums[4] = {};
  for (int t = static_cast<int>(blockIdx.x); t < job.tiles; t += static_cast<int>(gridDim.x)) {
    slot[thread] = job.x[static_cast<long long>(t) * Threads + thread];
    __syncthreads();
    float v[1] = {slot[thread]};
    bench::multiply_add<K>(v, job, sums);
    __syncthreads();
  }
  bench::write_sum(job, thread, Threads, sums);
}

/// The scheme of 2011, as its authors' staging benchmark runs it: a compute warp that only waits and asks for the next
/// tile, DMA warps that keep four loads of 16 bytes a thread in flight, named barriers, one slot or two; CTAs beyond
/// those resident, each with `tiles_a_cta` tiles of its own.
///
/// @tparam adds_up  whether the compute warp reads what came, to check it
template <bool adds_up, int Stages, int TileBytes, int DmaWarps>
__global__ void stream_of_2011(const Stream job, int tiles_a_cta) {
  constexpr int threads = 32 + DmaWarps * 32;
  constexpr int pieces = TileBytes / 16 / (DmaWarps * 32);
  static_assert(pieces == 4);
  __shared__ __align__(16) float tiles[Stages][TileBytes / 4];
  const auto empty = [](int stage) { return 2 * stage + 1; };
  const auto full = [](int stage) { return 2 * stage; };
  const int first = static_cast<int>(blockIdx.x) * tiles_a_cta;
  if (threadIdx.x >= 32) {
    const int lane = static_cast<int>(threadIdx.x) - 32;
    for (int t = 0; t < tiles_a_cta; t += Stages) {
#pragma unroll
      for (int stage = 0; stage < Stages; ++stage) {
        const auto* const from =
            reinterpret_cast<const uint4*>(job.x + static_cast<long long>(first + t + stage) * (TileBytes / 4)) + lane;
        uint4 held[pieces];
#pragma unroll
        for (int i = 0; i < pieces; ++i) {
          held[i] = load(from + i * DmaWarps * 32);
        }
        named_sync(empty(stage), threads);
#pragma unroll
        for (int i = 0; i < pieces; ++i) {
          store_shared(reinterpret_cast<uint4*>(tiles[stage]) + lane + i * DmaWarps * 32, held[i]);
        }
        named_arrive(full(stage), threads);
      }
    }
#pragma unroll
    for (int stage = 0; stage < Stages; ++stage) {
      named_sync(empty(stage), threads);
    }
  } else {
    float sums[4] = {};
#pragma unroll
    for (int stage = 0; stage < Stages; ++stage) {
      named_arrive(empty(stage), threads);
    }
    for (int t = 0; t < tiles_a_cta; t += Stages) {
#pragma unroll
      for (int stage = 0; stage < Stages; ++stage) {
        named_sync(full(stage), threads);
        if constexpr (adds_up) {
          float v[TileBytes / 4 / 32];
          bench::read_elements<16, 32>(tiles[stage], static_cast<int>(threadIdx.x), v);
          bench::multiply_add<1>(v, job, sums);
        }
        named_arrive(empty(stage), threads);
      }
    }
    if constexpr (adds_up) {
      bench::write_sum(job, static_cast<int>(threadIdx.x), 32, sums);
    }
  }
}

/// No shared memory and no DMA warps: `Loads` reads of 16 bytes a thread in flight. A tile is one CTA's reads.
template <int Threads, int MinCtas, int Loads>
__global__ __launch_bounds__(Threads, MinCtas) void stream_plain(const Stream job) {
  const int thread = static_cast<int>(threadIdx.x);
  float sums[4] = {};
#pragma unroll 1
  for (int t = static_cast<int>(blockIdx.x); t < job.tiles; t += static_cast<int>(gridDim.x)) {
    const float4* const from =
        reinterpret_cast<const float4*>(job.x) + static_cast<long long>(t) * (Threads * Loads) + thread;
    float4 held[Loads];
#pragma unroll
    for (int i = 0; i < Loads; ++i) {
      held[i] = from[i * Threads];
    }
#pragma unroll
    for (int i = 0; i < Loads; ++i) {
      float v[4] = {held[i].x, held[i].y, held[i].z, held[i].w};
      bench::multiply_add<1>(v, job, sums);
    }
  }
  bench::write_sum(job, thread, Threads, sums);
}

}  // namespace by_hand
