#pragma once

/// The staging job with cuda::pipeline, as its users write it: 4 stages of 8 KB.

#include "../stream.cuh"

#include <cuda/pipeline>

#include <cooperative_groups.h>

namespace by_hand {

inline constexpr int pipeline_stages = 4;
inline constexpr int pipeline_tile = 2048;  // elements

/// Declared as bytes, since shared memory runs no constructor; `make_pipeline` does what that would.
using PipelineState = cuda::pipeline_shared_state<cuda::thread_scope_block, pipeline_stages>;

template <int K, int ComputeThreads, class Pipeline>
__device__ __forceinline__ void consume(Pipeline& pipeline, const bench::Stream& job, const float* slot,
                                        float (&sums)[4]) {
  pipeline.consumer_wait();
  float v[pipeline_tile / ComputeThreads];
  bench::read_elements<4, ComputeThreads>(slot, static_cast<int>(threadIdx.x), v);
  bench::multiply_add<K>(v, job, sums);
  pipeline.consumer_release();
}

/// Every thread copies and computes.
template <int K, int Threads, int MinCtas>
__global__ __launch_bounds__(Threads, MinCtas) void stream_pipeline(const bench::Stream job) {
  __shared__ alignas(128) float slots[pipeline_stages][pipeline_tile];
  __shared__ alignas(PipelineState) unsigned char state_bytes[sizeof(PipelineState)];
  auto& state = reinterpret_cast<PipelineState&>(state_bytes);
  const auto cta = cooperative_groups::this_thread_block();
  auto pipeline = cuda::make_pipeline(cta, &state);
  const int step = static_cast<int>(gridDim.x);
  const int thread = static_cast<int>(threadIdx.x);

  const auto produce = [&](int t, int stage) {
    pipeline.producer_acquire();
    cuda::memcpy_async(&slots[stage][thread * 4], job.x + static_cast<long long>(t) * pipeline_tile + thread * 4,
                       cuda::aligned_size_t<16>(16), pipeline);
    pipeline.producer_commit();
  };
  static_assert(Threads * 4 == pipeline_tile);

  float sums[4] = {};
  int ahead = static_cast<int>(blockIdx.x);
  int stage_ahead = 0;
  for (; stage_ahead < pipeline_stages - 1 && ahead < job.tiles; ++stage_ahead, ahead += step) {
    produce(ahead, stage_ahead);
  }
  int stage = 0;
  stage_ahead = pipeline_stages - 1;
  for (int t = static_cast<int>(blockIdx.x); t < job.tiles; t += step) {
    if (ahead < job.tiles) {
      produce(ahead, stage_ahead);
      ahead += step;
    }
    stage_ahead = stage;
    consume<K, Threads>(pipeline, job, slots[stage], sums);
    stage = stage + 1 == pipeline_stages ? 0 : stage + 1;
  }
  bench::write_sum(job, thread, Threads, sums);
}

/// Every thread copies and computes, with a pipeline of its own over the CTA's slots and the CTA's barrier around each
/// use: the fastest form. No state in shared memory, no arrivals; all stages are in flight, and a slot is refilled as
/// soon as its values are in registers.
template <int K, int Threads, int MinCtas>
__global__ __launch_bounds__(Threads, MinCtas) void stream_thread_pipeline(const bench::Stream job) {
  __shared__ alignas(128) float slots[pipeline_stages][pipeline_tile];
  auto pipeline = cuda::make_pipeline();
  const int step = static_cast<int>(gridDim.x);
  const int thread = static_cast<int>(threadIdx.x);
  static_assert(Threads * 4 == pipeline_tile);

  int ahead = static_cast<int>(blockIdx.x);
  const auto produce = [&](int stage) {  // past the last tile an empty batch, so that the wait counts on
    pipeline.producer_acquire();
    if (ahead < job.tiles) {
      cuda::memcpy_async(&slots[stage][thread * 4], job.x + static_cast<long long>(ahead) * pipeline_tile + thread * 4,
                         cuda::aligned_size_t<16>(16), pipeline);
    }
    pipeline.producer_commit();
    ahead += step;
  };

  float sums[4] = {};
  for (int stage = 0; stage < pipeline_stages; ++stage) {
    produce(stage);
  }
  int stage = 0;
  for (int t = static_cast<int>(blockIdx.x); t < job.tiles; t += step) {
    cuda::pipeline_consumer_wait_prior<pipeline_stages - 1>(pipeline);
    __syncthreads();
    float v[pipeline_tile / Threads];
    bench::read_elements<4, Threads>(slots[stage], thread, v);
    __syncthreads();
    pipeline.consumer_release();
    produce(stage);
    bench::multiply_add<K>(v, job, sums);
    stage = stage + 1 == pipeline_stages ? 0 : stage + 1;
  }
  bench::write_sum(job, thread, Threads, sums);
}

/// Partitioned: `ProducerWarps` warps copy, the others compute.
template <int K, int ComputeThreads, int ProducerWarps, int MinCtas>
__global__ __launch_bounds__(ComputeThreads + ProducerWarps * 32, MinCtas) void stream_roles(const bench::Stream job) {
  constexpr int producers = ProducerWarps * 32;
  __shared__ alignas(128) float slots[pipeline_stages][pipeline_tile];
  __shared__ alignas(PipelineState) unsigned char state_bytes[sizeof(PipelineState)];
  auto& state = reinterpret_cast<PipelineState&>(state_bytes);
  const auto cta = cooperative_groups::this_thread_block();
  const bool computes = threadIdx.x < ComputeThreads;
  auto pipeline =
      cuda::make_pipeline(cta, &state, computes ? cuda::pipeline_role::consumer : cuda::pipeline_role::producer);
  const int step = static_cast<int>(gridDim.x);
  int stage = 0;
  if (!computes) {
    const int thread = static_cast<int>(threadIdx.x) - ComputeThreads;
    for (int t = static_cast<int>(blockIdx.x); t < job.tiles; t += step) {
      pipeline.producer_acquire();
#pragma unroll
      for (int i = 0; i < pipeline_tile / 4 / producers; ++i) {
        const int first = (thread + i * producers) * 4;
        cuda::memcpy_async(&slots[stage][first], job.x + static_cast<long long>(t) * pipeline_tile + first,
                           cuda::aligned_size_t<16>(16), pipeline);
      }
      pipeline.producer_commit();
      stage = stage + 1 == pipeline_stages ? 0 : stage + 1;
    }
  } else {
    float sums[4] = {};
    for (int t = static_cast<int>(blockIdx.x); t < job.tiles; t += step) {
      consume<K, ComputeThreads>(pipeline, job, slots[stage], sums);
      stage = stage + 1 == pipeline_stages ? 0 : stage + 1;
    }
    bench::write_sum(job, static_cast<int>(threadIdx.x), ComputeThreads, sums);
  }
}

}  // namespace by_hand
