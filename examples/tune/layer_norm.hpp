#pragma once

#include "../../applications/rows/layer_norm/kernel.hpp"

#include <dma/dma.hpp>
#include <dma/tune/variant_space.hpp>

/// The layer norm of applications/rows/layer_norm with what a variant leaves open, and the variants to be measured. A
/// CTA has one row, so a pipeline has as many stages as the row has pieces.
namespace tuned_layer_norm {

constexpr int columns = 8192;
constexpr int row_bytes = columns * int{sizeof(float)};

template <dma::tuning::Variant V>
using Kernel = LayerNorm<dma::tuning::Layout<V>, columns, row_bytes / V.tile_bytes, V.stages, V.ctas_per_sm>;

constexpr dma::tuning::Space space{.tile_bytes = {32768, 16384, 8192, 4096},
                                   .stages = {1, 2, 4, 8},
                                   .compute_warps = {16, 8},
                                   .ctas_per_sm = {2, 1, 3, 4, 6}};

// A piece is whole vectors of each compute thread.
constexpr auto variants = dma::tuning::select<space>([](dma::tuning::Variant v) {
  return v.stages * v.tile_bytes == row_bytes && v.tile_bytes % (16 * 32 * v.compute_warps) == 0 &&
         v.fits_an_sm(int{sizeof(Moments)} * 2 * v.compute_warps);
});

}  // namespace tuned_layer_norm
