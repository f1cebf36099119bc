#pragma once

/// The elements of A, B and C, and two of them as one word.

#include "../half_types.hpp"

#include <dma/config.hpp>

namespace gemm {

using BFloat16 = __nv_bfloat16;
using Half = __half;

/// A row from an even element on, two by two. @pre The address is a multiple of 4.
[[nodiscard]] DMA_HOST_DEVICE __nv_bfloat162* pairs_of(BFloat16* row) { return reinterpret_cast<__nv_bfloat162*>(row); }
[[nodiscard]] DMA_HOST_DEVICE const __nv_bfloat162* pairs_of(const BFloat16* row) {
  return reinterpret_cast<const __nv_bfloat162*>(row);
}
[[nodiscard]] DMA_HOST_DEVICE __half2* pairs_of(Half* row) { return reinterpret_cast<__half2*>(row); }
[[nodiscard]] DMA_HOST_DEVICE const __half2* pairs_of(const Half* row) { return reinterpret_cast<const __half2*>(row); }

DMA_HOST_DEVICE void add(__nv_bfloat162 pair, float& first, float& second) {
  const float2 both = __bfloat1622float2(pair);
  first += both.x;
  second += both.y;
}
DMA_HOST_DEVICE void add(__half2 pair, float& first, float& second) {
  const float2 both = __half22float2(pair);
  first += both.x;
  second += both.y;
}

DMA_HOST_DEVICE void round_to(__nv_bfloat162& pair, float first, float second) {
  pair = __floats2bfloat162_rn(first, second);
}
DMA_HOST_DEVICE void round_to(__half2& pair, float first, float second) { pair = __floats2half2_rn(first, second); }

}  // namespace gemm
