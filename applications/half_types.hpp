#pragma once

/// __half and __nv_bfloat16 with the functions that the applications call: the toolkit's, or on a host without a
/// toolkit types of the same size and bits, which round as its do.

#include <dma/config.hpp>

#if defined(__CUDACC__) || __has_include(<cuda_bf16.h>)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#else
#include <dma/machine/half_float.hpp>

#include <cstdint>

struct __half {
  __half() = default;
  __half(float value) : bits(dma::machine::HalfFloat<__half>::from_float(value)) {}
  operator float() const { return dma::machine::HalfFloat<__half>::to_float(bits); }

  std::uint16_t bits;
};
struct __nv_bfloat16 {
  __nv_bfloat16() = default;
  __nv_bfloat16(float value) : bits(dma::machine::HalfFloat<__nv_bfloat16>::from_float(value)) {}
  operator float() const { return dma::machine::HalfFloat<__nv_bfloat16>::to_float(bits); }

  std::uint16_t bits;
};
struct alignas(4) __half2 {
  __half x, y;
};
struct alignas(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
};
struct float2 {
  float x, y;
};

inline float __half2float(__half value) { return value; }
inline __half __float2half_rn(float value) { return value; }
inline float __bfloat162float(__nv_bfloat16 value) { return value; }
inline __nv_bfloat16 __float2bfloat16_rn(float value) { return value; }
inline float2 __half22float2(__half2 pair) { return {pair.x, pair.y}; }
inline __half2 __floats2half2_rn(float first, float second) { return {first, second}; }
inline float2 __bfloat1622float2(__nv_bfloat162 pair) { return {pair.x, pair.y}; }
inline __nv_bfloat162 __floats2bfloat162_rn(float first, float second) { return {first, second}; }
#endif
