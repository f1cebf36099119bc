#pragma once

/// The job of the streaming sweeps: read a window of the input once, in tiles, and do K multiply-adds with each
/// element. Every subject does it with the same arithmetic; they differ in how the tiles come.

#include "measure.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

struct Stream {
  const float* x;
  float* sums;  ///< one for each compute thread of the grid
  int tiles;
  float a, b, c;
};

/// K multiply-adds with each of N elements: v = v a + b, K - 1 times, then sum = sum + v c.
template <int K, int N>
DMA_DEVICE void multiply_add(float (&v)[N], const Stream& job, float (&sums)[4]) {
  // A body of about 256 instructions: loop overhead is lost in it, and the instruction cache holds it.
  constexpr int unroll = N * (K - 1) <= 512 ? (K > 1 ? K - 1 : 1) : N >= 256 ? 1 : 256 / N;
#pragma unroll unroll
  for (int k = 0; k < K - 1; ++k) {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      v[i] = fmaf(v[i], job.a, job.b);
    }
  }
#pragma unroll
  for (int i = 0; i < N; ++i) {
    sums[i % 4] = fmaf(v[i], job.c, sums[i % 4]);
  }
}

/// What a thread leaves behind.
DMA_DEVICE void write_sum(const Stream& job, int thread, int threads, const float (&sums)[4]) {
  job.sums[blockIdx.x * threads + thread] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// A thread's N elements of a tile in shared memory, in reads of `Width` bytes, neighbours beside neighbours.
template <int Width, int Threads, int N>
DMA_DEVICE void read_elements(const float* tile, int thread, float (&v)[N]) {
  static_assert(Width == 4 || (Width == 16 && N % 4 == 0), "reads are of 4 or 16 bytes");
  if constexpr (Width == 16) {
#pragma unroll
    for (int i = 0; i < N / 4; ++i) {
      const float4 word = reinterpret_cast<const float4*>(tile)[thread + i * Threads];
      v[4 * i] = word.x;
      v[4 * i + 1] = word.y;
      v[4 * i + 2] = word.z;
      v[4 * i + 3] = word.w;
    }
  } else {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      v[i] = tile[thread + i * Threads];
    }
  }
}

/// What is wrong with sums of integers that a kernel left in the output: nothing where they add up to `expected`, every
/// one was written, and each is small enough to be exact.
template <class Run>
std::string wrong_sums(long long count, double expected, cudaStream_t stream, const Run& run) {
  std::vector<float> sums(static_cast<std::size_t>(count));
  poison(output(), count, stream);
  run();
  check(cudaMemcpyAsync(sums.data(), output(), sums.size() * sizeof(float), cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  double sum = 0;
  float largest = 0;
  for (const float one : sums) {
    sum += one;
    largest = std::max(largest, one);
  }
  if (!(largest < 16777216.0F)) {
    return "a thread's sum is too large to be exact";
  }
  return sum == expected ? "" : "the sum is " + std::to_string(sum) + " and should be " + std::to_string(expected);
}

/// A subject of a streaming sweep.
///
/// @param ctas     of the grid
/// @param threads  of a CTA that compute, each with a sum
/// @param run      enqueues the kernel: run(stream, job)
template <class Run>
Subject stream_subject(int k, int tile_bytes, int ctas, int threads, const Run& run) {
  if (window_bytes() % tile_bytes != 0) {
    throw std::runtime_error("the window is not a multiple of the tile on this GPU");
  }
  const int tiles = static_cast<int>(window_bytes() / tile_bytes);
  const auto job_of = [=](int window) { return Stream{input(window), output(), tiles, 0.875F, 0.28125F, 0.75F}; };

  Subject subject;
  subject.bytes = static_cast<double>(window_bytes());
  subject.launch = [=](cudaStream_t stream, int i) { run(stream, job_of(i)); };
  // With a = b = c = 1 every sum is that of integers, exact in any order: a tile lost, torn or taken twice shows.
  subject.wrong = [=](cudaStream_t stream) {
    Stream job = job_of(windows - 1);
    job.a = job.b = job.c = 1.0F;
    const double expected = sum_of_window(windows - 1, stream) + static_cast<double>(window_elements()) * (k - 1);
    return wrong_sums(static_cast<long long>(ctas) * threads, expected, stream, [&] { run(stream, job); });
  };
  return subject;
}

}  // namespace bench
