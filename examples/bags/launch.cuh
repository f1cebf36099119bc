#pragma once

#include "kernel.hpp"
#include "plain.cuh"

#include <dma/dma.hpp>

#include <cuda_runtime.h>

/// 8 KB a tile, in two warps that load ahead and add up: small CTAs, of which an SM holds many.
template <int Cols>
using SumBagsChoice = SumBags<dma::WarpLayout<dma::Compute<2>>, Cols, 2048 / Cols, 2>;

/// Two tiles a CTA, so that CTAs begin in the order of their bags.
///
/// @param ids_in_all  of all bags
template <int Cols>
void launch_sum_bags(cudaStream_t stream, const float* table, long long table_rows, const int* ids, int ids_in_all,
                     const int* offsets, int bags, float* sums) {
  using Kernel = SumBagsChoice<Cols>;
  const int ctas = ids_in_all / (2 * Kernel::tile_rows) + 1;
  dma::launch(Kernel{}, {ctas < bags ? ctas : bags}, stream, table, table_rows, ids, offsets, bags, sums);
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
