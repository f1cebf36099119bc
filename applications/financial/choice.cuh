#pragma once

#include "../../examples/gpu.hpp"
#include "kernel.hpp"

#include <algorithm>

#include <cuda_runtime.h>

/// The article's steps as kernels, and the library's kernels in the shapes that were the fastest on an H200.
namespace financial {

/// Without launch bounds the compiler does not know how many warps share an SM's registers.
template <int BigWidth, int SmallWidth, int Unrolled, class T>
__global__ void best_of_sums(const Points<T> job) {
  best_of_thread<BigWidth, SmallWidth, Unrolled>(job, static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
                                                 static_cast<int>(gridDim.x * blockDim.x));
}
/// With them: `Ctas` CTAs of `Threads` threads an SM.
template <int Threads, int Ctas, int BigWidth, int SmallWidth, int Unrolled, class T>
__global__ void __launch_bounds__(Threads, Ctas) best_of_sums_bounded(const Points<T> job) {
  best_of_thread<BigWidth, SmallWidth, Unrolled>(job, static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
                                                 static_cast<int>(gridDim.x * blockDim.x));
}

/// For any numbers of points and values; with launch bounds.
template <int BigWidth, int SmallWidth, int Unrolled, class T>
__global__ void __launch_bounds__(1024, 1) best_of_any_sums(const Points<T> job, int pitch) {
  best_of_any_count<BigWidth, SmallWidth, Unrolled>(job, pitch, static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
                                                    static_cast<int>(gridDim.x * blockDim.x));
}

/// Counts the points whose answer is not the best of their sums; a thread a point. Rows are `pitch` elements apart.
template <class T>
__global__ void count_not_best(const Points<T> job, int pitch, unsigned long long* wrong) {
  const int p = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (p >= job.points) {
    return;
  }
  T best = 0;
  for (int k = 0; k < job.values; ++k) {
    best = fmax(best, job.big[static_cast<long long>(k) * pitch + p] + job.small[k]);
  }
  if (job.best[p] != best) {
    atomicAdd(wrong, 1ULL);
  }
}

[[nodiscard]] inline int sms() {
  int device = 0;
  int count = 0;
  gpu::check(cudaGetDevice(&device), "no device");
  gpu::check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "no device");
  return count;
}

/// Launches a step in as many CTAs as the GPU holds at once, or fewer where there are fewer points.
template <int BigWidth, class T, class... Pitch>
void launch_step(void (*step)(Points<T>, Pitch...), int threads, cudaStream_t stream, const Points<T>& job,
                 Pitch... pitch) {
  int ctas_an_sm = 0;
  gpu::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas_an_sm, step, threads, 0), "the occupancy");
  const int needed = (job.points / BigWidth + threads - 1) / threads;
  step<<<static_cast<unsigned>(std::min(needed, ctas_an_sm * sms())), static_cast<unsigned>(threads), 0, stream>>>(
      job, pitch...);
  gpu::check(cudaGetLastError(), "a step");
}

/// Calls `visit(name, launch)` for each of the article's steps, in its order: `launch(stream, job)`.
template <class Visit>
void for_each_step(const Visit& visit) {
  constexpr int unrolled = 4;  // what the article's '#pragma unroll' is to the compiler
  constexpr int whole_sm = 1024;
  constexpr int half_sm = 512;
  const auto add = [&]<int BigWidth>(const char* name, void (*step)(Points<double>), int threads) {
    visit(name,
          [=](cudaStream_t stream, const Points<double>& job) { launch_step<BigWidth>(step, threads, stream, job); });
  };
  add.template operator()<1>("scalar", best_of_sums<1, 1, unrolled, double>, whole_sm);
  add.template operator()<1>("wide_small", best_of_sums<1, 2, unrolled, double>, whole_sm);
  add.template operator()<2>("wide", best_of_sums<2, 2, unrolled, double>, whole_sm);
  add.template operator()<1>("bounds", best_of_sums_bounded<whole_sm, 1, 1, 1, unrolled, double>, whole_sm);
  add.template operator()<1>("wide_small_bounds", best_of_sums_bounded<whole_sm, 1, 1, 2, unrolled, double>, whole_sm);
  add.template operator()<2>("wide_bounds", best_of_sums_bounded<whole_sm, 1, 2, 2, unrolled, double>, whole_sm);
  add.template operator()<1>("bounds_2x512", best_of_sums_bounded<half_sm, 2, 1, 1, unrolled, double>, half_sm);
}

/// The same with the forms for any numbers of points and values: `launch(stream, job, pitch)`.
template <class Visit>
void for_each_step_of_any_count(const Visit& visit) {
  constexpr int unrolled = 4;
  const auto add = [&]<int BigWidth>(const char* name, void (*step)(Points<double>, int)) {
    visit(name, [=](cudaStream_t stream, const Points<double>& job, int pitch) {
      launch_step<BigWidth>(step, 1024, stream, job, pitch);
    });
  };
  add.template operator()<1>("bounds", best_of_any_sums<1, 1, unrolled, double>);
  add.template operator()<1>("wide_small_bounds", best_of_any_sums<1, 2, unrolled, double>);
  add.template operator()<2>("wide_bounds", best_of_any_sums<2, 2, unrolled, double>);
}

/// By a DMA warp, in tiles of 512 points and 8 values. A CTA for each 512 points, or as many as the GPU holds at once
/// where the last ones would leave most of it idle.
///
/// @pre `points` is even; the arrays begin on 16 bytes.
inline void launch_tiles(cudaStream_t stream, const Points<double>& job) {
  using Kernel = BestOfSums<double, dma::WarpLayout<dma::Compute<8>, dma::Dma<1>>, 512, 8, 2, 3>;
  const int resident = 3 * sms();
  const int blocks = Kernel::blocks_of_points(job.points);
  dma::launch(Kernel{}, {blocks < 4 * resident ? std::min(blocks, resident) : blocks}, stream, job);
}

/// The fastest on an H200: without tiles. Two points a thread; where the GPU holds a thread for each point, one, whose
/// values stay out of the SM's cache.
///
/// @pre `values` is a multiple of 16, `points` is even; the arrays begin on 16 bytes.
inline void launch_best(cudaStream_t stream, const Points<double>& job) {
  constexpr dma::CacheHints read_once{.load = dma::LoadCache::read_once};
  using One = BestOfSumsInRegisters<double, 512, 2, 1, 16, read_once>;
  using Two = BestOfSumsInRegisters<double, 1024, 1, 2, 4, dma::CacheHints{}>;
  if (One::blocks_of_points(job.points) <= 2 * sms()) {
    dma::launch(One{}, {One::blocks_of_points(job.points)}, stream, job);
  } else {
    dma::launch(Two{}, {Two::blocks_of_points(job.points)}, stream, job);
  }
}

}  // namespace financial
