#pragma once

/// Elements of rows as floats, and back, rounded to the nearest.

#include "../half_types.hpp"

#include <dma/config.hpp>
#include <dma/vector.hpp>

#include <cstring>

using BFloat16 = __nv_bfloat16;

[[nodiscard]] DMA_HOST_DEVICE float float_of(float value) { return value; }
[[nodiscard]] DMA_HOST_DEVICE float float_of(BFloat16 value) { return __bfloat162float(value); }

DMA_HOST_DEVICE void round_to(float& element, float value) { element = value; }
DMA_HOST_DEVICE void round_to(BFloat16& element, float value) { element = __float2bfloat16_rn(value); }

/// All elements of a vector.
DMA_HOST_DEVICE void floats_of(const dma::Vector<float>& vector, float (&floats)[4]) {
  memcpy(floats, vector.elements, sizeof floats);
}
/// A bfloat16 is the upper half of a float. One instruction for each of a pair, where one by one the upper of them
/// takes two.
DMA_HOST_DEVICE void floats_of(const dma::Vector<BFloat16>& vector, float (&floats)[8]) {
  unsigned pairs[4];
  memcpy(pairs, vector.elements, sizeof pairs);
  unsigned bits[8];
  for (int i = 0; i < 4; ++i) {
    bits[2 * i] = pairs[i] << 16U;
    bits[2 * i + 1] = pairs[i] & 0xffff0000U;
  }
  memcpy(floats, bits, sizeof floats);
}
