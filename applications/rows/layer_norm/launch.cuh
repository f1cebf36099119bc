#pragma once

#include "kernel.hpp"
#include "plain.cuh"

#include <dma/dma.hpp>

#include <cuda_runtime.h>

/// The variants that were the fastest on an H200, and their grids.
template <int Columns>
struct LayerNormChoice;

using LayerNormWarps = dma::WarpLayout<dma::Compute<16>, dma::Dma<1>>;
template <>
struct LayerNormChoice<8192> {
  using Kernel = LayerNorm<LayerNormWarps, 8192, 1, 1, 2>;
  static constexpr int rows_a_cta = 1;
  static constexpr int plain_threads = 512;
};
template <>
struct LayerNormChoice<16384> {
  using Kernel = LayerNorm<dma::WarpLayout<dma::Compute<16>>, 16384, 1, 1, 2, 2>;
  static constexpr int rows_a_cta = 1;
  static constexpr int plain_threads = 512;
};
template <>
struct LayerNormChoice<32768> {
  using Kernel = LayerNorm<LayerNormWarps, 32768, 4, 4, 1>;
  static constexpr int rows_a_cta = 1;
  static constexpr int plain_threads = 1024;
};

template <int Columns>
void launch_layer_norm(cudaStream_t stream, const float* x, const float* scale, const float* shift, float* y, int rows,
                       float epsilon) {
  using Choice = LayerNormChoice<Columns>;
  constexpr int share = Choice::rows_a_cta;
  dma::launch(typename Choice::Kernel{}, {(rows + share - 1) / share}, stream, x, scale, shift, y, rows, epsilon);
}

template <int Columns>
void launch_plain_layer_norm(cudaStream_t stream, const float* x, const float* scale, const float* shift, float* y,
                             int rows, float epsilon) {
  constexpr int threads = LayerNormChoice<Columns>::plain_threads;
  plain_layer_norm<Columns, threads><<<static_cast<unsigned>(rows), threads, 0, stream>>>(x, scale, shift, y, epsilon);
}
