#pragma once

#include "long_rows.hpp"
#include "plain.cuh"

#include <dma/dma.hpp>

#include <cuda_runtime.h>

#include <algorithm>

/// The plan of an operation on rows of `T`.
template <int Columns, class T, class Operation>
inline constexpr RowsPlan rows_plan = fastest_plan({.columns = Columns,
                                                    .element_bytes = sizeof(T),
                                                    .parameter_rows = Operation::parameter_rows,
                                                    .writes_elements = Operation::writes_elements});

/// Any operation on rows of 256 to 4096 elements and of 65536 to 262144: a tile a CTA, or as many clusters as the GPU
/// holds.
template <int Columns, class T, class Operation>
void launch_rows(cudaStream_t stream, const Operation& operation, const T* x, T* y, int rows) {
  constexpr RowsPlan plan = rows_plan<Columns, T, Operation>;
  using Kernel = RowsKernel<T, Operation, plan>;
  constexpr int share = plan.rows_a_tile();
  int groups = (rows + share - 1) / share;
  if constexpr (plan.ctas_a_row > 1) {
    groups = std::min(groups, dma::occupancy<Kernel, Operation, const T*, T*, int>().clusters);
  }
  dma::launch(Kernel{}, {Kernel::ctas(groups)}, stream, operation, x, y, rows);
}
template <int Columns>
void launch_layer_norm_of_rows(cudaStream_t stream, const float* x, const float* scale, const float* shift, float* y,
                               int rows, float epsilon) {
  launch_rows<Columns>(stream, LayerNormRows<float>{scale, shift, epsilon}, x, y, rows);
}

/// A warp a row, or 4 to 16 warps: the faster of them on an H200.
template <int Columns>
void launch_plain_short_layer_norm(cudaStream_t stream, const float* x, const float* scale, const float* shift,
                                   float* y, int rows, float epsilon) {
  if constexpr (Columns <= 512) {
    constexpr int warps = 4;
    plain_layer_norm_of_warps<Columns, warps>
        <<<static_cast<unsigned>((rows + warps - 1) / warps), 32 * warps, 0, stream>>>(x, scale, shift, y, rows,
                                                                                       epsilon);
  } else {
    constexpr int threads = Columns / 8;
    plain_layer_norm<Columns, threads>
        <<<static_cast<unsigned>(rows), threads, 0, stream>>>(x, scale, shift, y, epsilon);
  }
}

template <int Columns>
void launch_softmax(cudaStream_t stream, const float* x, float* y, int rows) {
  launch_rows<Columns>(stream, SoftmaxRows{}, x, y, rows);
}

/// With as many threads a row as the plain layer norm.
template <int Columns>
void launch_plain_short_softmax(cudaStream_t stream, const float* x, float* y, int rows) {
  constexpr int threads = Columns <= 512 ? 32 : Columns / 8;
  constexpr int rows_a_cta = Columns <= 512 ? 4 : 1;
  plain_softmax<Columns, threads, rows_a_cta>
      <<<static_cast<unsigned>((rows + rows_a_cta - 1) / rows_a_cta), threads * rows_a_cta, 0, stream>>>(x, y, rows);
}

template <int Columns>
void launch_plain_long_layer_norm(cudaStream_t stream, const float* x, const float* scale, const float* shift, float* y,
                                  int rows, float epsilon) {
  plain_long_layer_norm<<<static_cast<unsigned>(rows), 1024, 0, stream>>>(x, scale, shift, y, Columns, epsilon);
}
