#pragma once

#include "kernel.hpp"
#include "plain.cuh"

#include <dma/dma.hpp>

#include <cuda_runtime.h>

/// The variants that were the fastest on an H200, and how many clusters of them it holds at a time.
template <int Columns>
struct LongLayerNormChoice;

using LongLayerNormWarps = dma::WarpLayout<dma::Compute<16>, dma::Dma<1>>;
template <>
struct LongLayerNormChoice<65536> {
  using Kernel = LongLayerNorm<LongLayerNormWarps, 65536, 4, 2, 4, 1, 8>;
  static constexpr int clusters = 30;
};
template <>
struct LongLayerNormChoice<131072> {
  using Kernel = LongLayerNorm<LongLayerNormWarps, 131072, 8, 2, 2, 2, 2>;
  static constexpr int clusters = 30;
};
template <>
struct LongLayerNormChoice<262144> {
  using Kernel = LongLayerNorm<LongLayerNormWarps, 262144, 8, 4, 4, 1, 4>;
  static constexpr int clusters = 15;
};

template <int Columns>
void launch_long_layer_norm(cudaStream_t stream, const float* x, const float* scale, const float* shift, float* y,
                            int rows, float epsilon) {
  using Choice = LongLayerNormChoice<Columns>;
  using Kernel = typename Choice::Kernel;
  const int clusters = rows < Choice::clusters ? rows : Choice::clusters;
  dma::launch(Kernel{}, {Kernel::ctas(clusters)}, stream, x, scale, shift, y, rows, epsilon);
}

template <int Columns>
void launch_plain_long_layer_norm(cudaStream_t stream, const float* x, const float* scale, const float* shift, float* y,
                                  int rows, float epsilon) {
  plain_long_layer_norm<<<static_cast<unsigned>(rows), 1024, 0, stream>>>(x, scale, shift, y, Columns, epsilon);
}
