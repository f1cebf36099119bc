#pragma once

#include "backward.hpp"

#include <dma/dma.hpp>

#include <cuda_runtime.h>

template <int Columns>
inline constexpr RowsPlan backward_plan = fastest_backward_plan(Columns);

/// CTAs of the grid: as many as the GPU holds.
template <int Columns>
[[nodiscard]] constexpr int backward_ctas(int sms) {
  return sms * backward_plan<Columns>.min_ctas;
}
/// Rows of the parts of the parameters' gradients, at most.
[[nodiscard]] constexpr int most_backward_part_rows(int sms) {
  return backward_ctas<512>(sms) * backward_plan<512>.rows_a_tile();
}

/// The gradients of x, scale and shift; `operation` has room for the parts of the parameters' gradients.
template <int Columns>
void launch_layer_norm_backward(cudaStream_t stream, const LayerNormBackward<float>& operation, const float* x,
                                const float* dy, float* dx, float* scale_gradient, float* shift_gradient, int rows,
                                int sms) {
  using Kernel = RowsBackward<float, LayerNormBackward<float>, backward_plan<Columns>>;
  const int groups = backward_ctas<Columns>(sms);
  dma::launch(Kernel{}, {Kernel::ctas(groups)}, stream, operation, x, dy, dx, rows);
  dma::launch(GradientSums{}, {GradientSums::ctas(2, Columns)}, stream,
              GradientParts{operation.scale_parts, scale_gradient},
              GradientParts{operation.shift_parts, shift_gradient}, Kernel::part_rows(groups), Columns);
}
