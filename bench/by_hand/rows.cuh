#pragma once

/// Tiles made of rows, brought to shared memory by DMA warps: strided ones and gathered ones. The dynamic shared memory
/// of each kernel is `Stages * TileBytes`.

#include "stream.cuh"

#include <cuda.h>

namespace by_hand {

/// Blocks of a matrix whose rows are `PitchBytes` long, block beside block.
template <int RowBytes, int TileBytes, int PitchBytes>
struct StridedRows {
  static constexpr int row_bytes = RowBytes;
  static constexpr int tile_bytes = TileBytes;
  static constexpr int rows = TileBytes / RowBytes;

  const float* x;

  __device__ __forceinline__ int number(int tile, int row) const {
    constexpr int blocks = PitchBytes / RowBytes;
    return (tile / blocks * rows + row) * blocks + tile % blocks;  // in units of a row
  }
  __device__ __forceinline__ const char* address(int number) const {
    return reinterpret_cast<const char*>(x) + static_cast<long long>(number) * RowBytes;
  }
};

/// Rows of a table, by a list of their numbers.
template <int RowBytes, int TileBytes>
struct GatheredRows {
  static constexpr int row_bytes = RowBytes;
  static constexpr int tile_bytes = TileBytes;
  static constexpr int rows = TileBytes / RowBytes;

  const float* x;
  const int* numbers;

  __device__ __forceinline__ int number(int tile, int row) const { return numbers[tile * rows + row]; }
  __device__ __forceinline__ const char* address(int number) const {
    return reinterpret_cast<const char*>(x) + static_cast<long long>(number) * RowBytes;
  }
};

/// Numbers of rows are read a tile ahead. bulk: rows dealt to warps, an elected lane each; cp.async: 16-byte pieces
/// dealt to threads.
template <Way way, class Rows, int ComputeThreads, int DmaWarps, int Stages>
__global__ __launch_bounds__(ComputeThreads + DmaWarps * 32, 1) void stream_rows(const Rows source, const Stream job) {
  constexpr int dma_threads = DmaWarps * 32;
  constexpr int compute_warps = ComputeThreads / 32;
  constexpr int tile_bytes = Rows::tile_bytes;
  __shared__ uint64_t full[Stages];
  __shared__ uint64_t empty[Stages];
  const int warp = uniform_warp();
  if (threadIdx.x == 0) {
    for (int s = 0; s < Stages; ++s) {
      init(&full[s], way == Way::bulk ? DmaWarps : dma_threads);
      init(&empty[s], compute_warps);
    }
    fence_init();
  }
  __syncthreads();

  Ring<Stages> ring;
  const int step = static_cast<int>(gridDim.x);
  if (warp >= compute_warps) {
    const auto wait_until_empty = [&] {
      if (ring.wrapped) {
        wait(&empty[ring.stage], ring.parity ^ 1);
      }
    };
    int t = static_cast<int>(blockIdx.x);
    if constexpr (way == Way::bulk) {
      constexpr int rows = (Rows::rows + DmaWarps - 1) / DmaWarps;  // a warp's, at most
      static_assert(rows <= 32);
      const int first = (warp - compute_warps) * rows;
      const int own = min(rows, max(0, Rows::rows - first));
      const int lane = static_cast<int>(threadIdx.x) % 32;
      const auto number = [&](int tile) {
        return lane < own && tile < job.tiles ? source.number(tile, first + lane) : 0;
      };
      int next = number(t);
      for (; t < job.tiles; t += step) {
        const int held = next;
        next = number(t + step);
        unsigned char* const slot = slots + ring.stage * tile_bytes + first * Rows::row_bytes;
        wait_until_empty();
        if (elect()) {
          arrive_expecting(&full[ring.stage], own * Rows::row_bytes);
        }
        __syncwarp();
#pragma unroll 4
        for (int r = 0; r < own; ++r) {
          const int row = __shfl_sync(0xffffffffU, held, r);
          if (elect()) {
            copy_bulk(slot + r * Rows::row_bytes, source.address(row), Rows::row_bytes, &full[ring.stage]);
          }
        }
        __syncwarp();
        ring.advance();
      }
    } else {
      constexpr int pieces = tile_bytes / 16 / dma_threads;
      const int lane = static_cast<int>(threadIdx.x) - ComputeThreads;
      const auto row_of = [&](int i) { return (lane + i * dma_threads) / (Rows::row_bytes / 16); };
      const int offset = lane % (Rows::row_bytes / 16) * 16;
      int next[pieces];
      const auto read_numbers = [&](int tile) {
#pragma unroll
        for (int i = 0; i < pieces; ++i) {
          next[i] = tile < job.tiles ? source.number(tile, row_of(i)) : 0;
        }
      };
      read_numbers(t);
      for (; t < job.tiles; t += step) {
        unsigned char* const slot = slots + ring.stage * tile_bytes;
        wait_until_empty();
#pragma unroll
        for (int i = 0; i < pieces; ++i) {
          // A row longer than one step of the threads: the piece's place in it depends on the step as well.
          const int in_row =
              Rows::row_bytes / 16 <= dma_threads ? offset : (lane + i * dma_threads) % (Rows::row_bytes / 16) * 16;
          copy_async(slot + (lane + i * dma_threads) * 16, source.address(next[i]) + in_row);
        }
        arrive_when_copied(&full[ring.stage]);
        read_numbers(t + step);
        ring.advance();
      }
    }
  } else {
    const int thread = static_cast<int>(threadIdx.x);
    float sums[4] = {};
    for (int t = static_cast<int>(blockIdx.x); t < job.tiles; t += step) {
      wait(&full[ring.stage], ring.parity);
      float v[tile_bytes / 4 / ComputeThreads];
      bench::read_elements<16, ComputeThreads>(reinterpret_cast<const float*>(slots + ring.stage * tile_bytes), thread,
                                               v);
      if constexpr (way == Way::bulk) {
        fence_for_bulk_copy();
      }
      arrive_for_warp(&empty[ring.stage]);
      bench::multiply_add<1>(v, job, sums);
      ring.advance();
    }
    bench::write_sum(job, thread, ComputeThreads, sums);
  }
}

/// Blocks of `PitchBytes / RowBytes` to a row of the matrix, one box of a tensor map each, by one DMA warp.
template <int RowBytes, int TileBytes, int PitchBytes, int ComputeThreads, int Stages>
__global__ __launch_bounds__(ComputeThreads + 32, 1) void stream_boxes(const __grid_constant__ CUtensorMap map,
                                                                       const Stream job) {
  constexpr int compute_warps = ComputeThreads / 32;
  constexpr int blocks = PitchBytes / RowBytes;
  __shared__ uint64_t full[Stages];
  __shared__ uint64_t empty[Stages];
  if (threadIdx.x == 0) {
    for (int s = 0; s < Stages; ++s) {
      init(&full[s], 1);
      init(&empty[s], compute_warps);
    }
    fence_init();
  }
  __syncthreads();

  Ring<Stages> ring;
  const int step = static_cast<int>(gridDim.x);
  if (uniform_warp() >= compute_warps) {
    for (int t = static_cast<int>(blockIdx.x); t < job.tiles; t += step) {
      if (ring.wrapped) {
        wait(&empty[ring.stage], ring.parity ^ 1);
      }
      if (elect()) {
        arrive_expecting(&full[ring.stage], TileBytes);
        copy_box(slots + ring.stage * TileBytes, &map, t % blocks * (RowBytes / 4), t / blocks * (TileBytes / RowBytes),
                 &full[ring.stage]);
      }
      __syncwarp();
      ring.advance();
    }
  } else {
    const int thread = static_cast<int>(threadIdx.x);
    float sums[4] = {};
    for (int t = static_cast<int>(blockIdx.x); t < job.tiles; t += step) {
      wait(&full[ring.stage], ring.parity);
      float v[TileBytes / 4 / ComputeThreads];
      bench::read_elements<16, ComputeThreads>(reinterpret_cast<const float*>(slots + ring.stage * TileBytes), thread,
                                               v);
      fence_for_bulk_copy();
      arrive_for_warp(&empty[ring.stage]);
      bench::multiply_add<1>(v, job, sums);
      ring.advance();
    }
    bench::write_sum(job, thread, ComputeThreads, sums);
  }
}

/// The map of a matrix of floats and of the box that one copy takes out of it.
inline CUtensorMap describe_matrix(const float* x, long long rows, int pitch_bytes, int box_rows, int box_cols) {
  void* encoder = nullptr;
  cudaDriverEntryPointQueryResult found{};
  bench::check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encoder, 12000, cudaEnableDefault, &found));
  CUtensorMap map;
  const cuuint64_t extents[] = {static_cast<cuuint64_t>(pitch_bytes / 4), static_cast<cuuint64_t>(rows)};
  const cuuint64_t pitches[] = {static_cast<cuuint64_t>(pitch_bytes)};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(box_cols), static_cast<cuuint32_t>(box_rows)};
  const cuuint32_t steps[] = {1, 1};
  const CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encoder)(
      &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float*>(x), extents, pitches, box, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    throw std::runtime_error("the driver makes no tensor map");
  }
  return map;
}

/// No shared memory: every thread reads its pieces of a tile to registers, all in flight at once.
template <class Rows, int Threads, int MinCtas>
__global__ __launch_bounds__(Threads, MinCtas) void plain_rows(const Rows source, const Stream job) {
  constexpr int pieces = Rows::tile_bytes / 16 / Threads;
  static_assert(pieces >= 1);
  const int thread = static_cast<int>(threadIdx.x);
  float sums[4] = {};
  for (int t = static_cast<int>(blockIdx.x); t < job.tiles; t += static_cast<int>(gridDim.x)) {
    float4 held[pieces];
#pragma unroll
    for (int i = 0; i < pieces; ++i) {
      const int piece = thread + i * Threads;
      const int row = source.number(t, piece / (Rows::row_bytes / 16));
      held[i] = *reinterpret_cast<const float4*>(source.address(row) + piece % (Rows::row_bytes / 16) * 16);
    }
#pragma unroll
    for (int i = 0; i < pieces; ++i) {
      float v[4] = {held[i].x, held[i].y, held[i].z, held[i].w};
      bench::multiply_add<1>(v, job, sums);
    }
  }
  bench::write_sum(job, thread, Threads, sums);
}

}  // namespace by_hand
