#pragma once

#include "../../applications/bags/kernel.hpp"

#include <dma/dma.hpp>
#include <dma/tune/variant_space.hpp>

/// The sums of bags of applications/bags for rows of 512 bytes with what a variant leaves open, and the variants to be
/// measured.
namespace tuned_bags {

constexpr int columns = 128;
constexpr int row_bytes = columns * int{sizeof(float)};

template <dma::tuning::Variant V>
using Kernel = SumBags<dma::tuning::Layout<V>, columns, V.tile_bytes / row_bytes, V.stages>;

constexpr dma::tuning::Space space{
    .tile_bytes = {16384, 8192, 4096}, .stages = {1, 2}, .compute_warps = {2, 1, 4}, .dma_warps = {0, 1}};

// A grid has many CTAs, of which an SM should hold at least two.
constexpr auto variants = dma::tuning::select<space>([](dma::tuning::Variant v) {
  v.ctas_per_sm = 2;
  return v.stages * v.tile_bytes <= 32 * 1024 && v.fits_an_sm();
});

/// Each CTA has about as many ids as its slots hold.
template <dma::tuning::Variant V>
constexpr int ids_a_cta = (V.stages * V.tile_bytes) / row_bytes;

}  // namespace tuned_bags
