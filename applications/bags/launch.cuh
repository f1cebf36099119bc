#pragma once

#include "backward.hpp"
#include "kernel.hpp"
#include "plain.cuh"

#include <dma/dma.hpp>

#include <cuda_runtime.h>

/// One tile of 16 KB, in two warps that load and add up: small CTAs of about a tile each, of which an SM holds many.
template <int Cols>
using SumBagsChoice = SumBags<dma::WarpLayout<dma::Compute<2>>, Cols, 4096 / Cols, 1>;

template <int Cols>
using BackwardChoice = AddToRowsOfBags<dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>, Cols, 2048 / Cols, 4>;

/// CTAs of some `ids_a_cta` ids: they begin in the order of their bags.
inline int ctas_for_bags(int ids_in_all, int bags, int ids_a_cta) {
  const int ctas = ids_in_all / ids_a_cta + 1;
  return ctas < bags ? ctas : bags;
}

/// @param ids_in_all  of all bags
template <int Cols>
void launch_sum_bags(cudaStream_t stream, const float* table, long long table_rows, const int* ids, int ids_in_all,
                     const int* offsets, int bags, float* sums) {
  using Kernel = SumBagsChoice<Cols>;
  constexpr int ids_a_cta = 4096 / Cols;
  dma::launch(Kernel{}, {ctas_for_bags(ids_in_all, bags, ids_a_cta)}, stream, table, table_rows, ids, offsets, bags,
              sums);
}

template <int Cols>
void launch_plain_sum_bags(cudaStream_t stream, const float* table, const int* ids, const int* offsets, int bags,
                           float* sums) {
  constexpr int threads = 128;
  constexpr int bags_a_cta = threads / 32;
  const unsigned ctas = static_cast<unsigned>((bags + bags_a_cta - 1) / bags_a_cta);
  plain_sum_bags<Cols / 128><<<ctas, threads, 0, stream>>>(reinterpret_cast<const float4*>(table), ids, offsets, bags,
                                                           reinterpret_cast<float4*>(sums));
}

/// Adds to the gradient that is there.
template <int Cols>
void launch_backward(cudaStream_t stream, const float* sums_gradient, const int* ids, int ids_in_all,
                     const int* offsets, int bags, float* table_gradient, long long table_rows) {
  using Kernel = BackwardChoice<Cols>;
  constexpr int ids_a_cta = 32;
  dma::launch(Kernel{}, {ctas_for_bags(ids_in_all, bags, ids_a_cta)}, stream, sums_gradient, ids, offsets, bags,
              table_gradient, table_rows);
}

template <int Cols>
void launch_plain_backward(cudaStream_t stream, const float* sums_gradient, const int* ids, const int* offsets,
                           int bags, float* table_gradient) {
  constexpr int threads = 128;
  constexpr int bags_a_cta = threads / 32;
  const unsigned ctas = static_cast<unsigned>((bags + bags_a_cta - 1) / bags_a_cta);
  plain_add_to_rows_of_bags<Cols / 128><<<ctas, threads, 0, stream>>>(
      reinterpret_cast<const float4*>(sums_gradient), ids, offsets, bags, reinterpret_cast<float4*>(table_gradient));
}
