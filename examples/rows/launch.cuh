#pragma once

#include "long_rows.hpp"
#include "plain.cuh"

#include <dma/dma.hpp>

#include <cuda_runtime.h>

/// The plans that were the fastest on an H200 for layer norms of floats.
template <int Columns>
inline constexpr RowsPlan rows_plan = {};
template <>
inline constexpr RowsPlan rows_plan<256>{.columns = 256, .warps = 4, .warps_a_row = 1, .stages = 1, .min_ctas = 12};
template <>
inline constexpr RowsPlan rows_plan<512>{.columns = 512, .warps = 4, .warps_a_row = 2, .stages = 1, .min_ctas = 12};
template <>
inline constexpr RowsPlan rows_plan<1024>{.columns = 1024, .warps = 4, .warps_a_row = 4, .stages = 1, .min_ctas = 12};
template <>
inline constexpr RowsPlan rows_plan<2048>{.columns = 2048, .warps = 8, .warps_a_row = 4, .stages = 1, .min_ctas = 4};
template <>
inline constexpr RowsPlan rows_plan<4096>{
    .columns = 4096, .warps = 8, .warps_a_row = 8, .stages = 1, .min_ctas = 4, .at_once = 2};

template <>
inline constexpr RowsPlan rows_plan<65536>{.columns = 65536, .ctas_a_row = 4, .stages = 3, .kept = Kept::in_slots};
template <>
inline constexpr RowsPlan rows_plan<131072>{.columns = 131072, .ctas_a_row = 8, .stages = 3, .kept = Kept::in_slots};
template <>
inline constexpr RowsPlan rows_plan<262144>{.columns = 262144, .ctas_a_row = 16, .stages = 3, .kept = Kept::in_slots};

/// For operations that write one number a row: more is read at a time.
template <int Columns>
inline constexpr RowsPlan sums_plan = rows_plan<Columns>;
template <>
inline constexpr RowsPlan sums_plan<1024>{.columns = 1024, .warps = 8, .warps_a_row = 1, .stages = 1, .min_ctas = 2};
template <>
inline constexpr RowsPlan sums_plan<4096>{.columns = 4096, .warps = 8, .warps_a_row = 8, .stages = 1, .min_ctas = 6};

/// CTAs that an H200 holds in clusters of 4 or 8; of 16, it holds 112.
inline constexpr int ctas_in_clusters = 120;

/// Any operation on rows of 256 to 4096 elements and of 65536 to 262144: a tile a CTA, or as many clusters as the GPU
/// holds.
template <int Columns, class T, class Operation>
void launch_rows(cudaStream_t stream, const Operation& operation, const T* x, T* y, int rows) {
  constexpr RowsPlan plan = Operation::writes_elements ? rows_plan<Columns> : sums_plan<Columns>;
  using Kernel = RowsKernel<T, Operation, plan>;
  constexpr int clusters = ctas_in_clusters / plan.ctas_a_row;
  constexpr int share = plan.rows_a_tile();
  const int tiles = (rows + share - 1) / share;
  dma::launch(Kernel{}, {Kernel::ctas(plan.ctas_a_row > 1 && tiles > clusters ? clusters : tiles)}, stream, operation,
              x, y, rows);
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
