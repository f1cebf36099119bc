// The README's job with cuda::pipeline, as its users write it: a partitioned pipeline, one producer warp, as many
// stages.

#include <cuda/pipeline>

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int tile_count = 1024;
constexpr int stages = 2;
constexpr int compute_threads = 128;
constexpr int threads = compute_threads + 32;

__global__ __launch_bounds__(threads) void scale(const float* x, float* y, float a, int tiles) {
  __shared__ alignas(128) float slots[stages][tile_count];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  const auto cta = cg::this_thread_block();
  const bool computes = threadIdx.x < compute_threads;
  auto pipeline =
      cuda::make_pipeline(cta, &state, computes ? cuda::pipeline_role::consumer : cuda::pipeline_role::producer);

  int stage = 0;
  if (!computes) {
    const auto warp = cg::tiled_partition<32>(cta);
    for (int t = static_cast<int>(blockIdx.x); t < tiles; t += static_cast<int>(gridDim.x)) {
      pipeline.producer_acquire();
      cuda::memcpy_async(warp, slots[stage], x + t * tile_count, cuda::aligned_size_t<16>(sizeof slots[0]), pipeline);
      pipeline.producer_commit();
      stage = stage + 1 == stages ? 0 : stage + 1;
    }
  } else {
    for (int t = static_cast<int>(blockIdx.x); t < tiles; t += static_cast<int>(gridDim.x)) {
      pipeline.consumer_wait();
      const auto* const x4 = reinterpret_cast<const float4*>(slots[stage]);
      auto* const y4 = reinterpret_cast<float4*>(y + t * tile_count);
      for (int i = static_cast<int>(threadIdx.x); i < tile_count / 4; i += compute_threads) {
        const float4 value = x4[i];
        y4[i] = make_float4(a * value.x, a * value.y, a * value.z, a * value.w);
      }
      pipeline.consumer_release();
      stage = stage + 1 == stages ? 0 : stage + 1;
    }
  }
}
