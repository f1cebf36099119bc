#pragma once

/// Elements of rows as floats, and back, rounded to the nearest.

#include <dma/config.hpp>

#include <cuda_bf16.h>

using BFloat16 = __nv_bfloat16;

[[nodiscard]] DMA_HOST_DEVICE float float_of(float value) { return value; }
[[nodiscard]] DMA_HOST_DEVICE float float_of(BFloat16 value) { return __bfloat162float(value); }

DMA_HOST_DEVICE void round_to(float& element, float value) { element = value; }
DMA_HOST_DEVICE void round_to(BFloat16& element, float value) { element = __float2bfloat16_rn(value); }
