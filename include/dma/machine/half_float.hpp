#pragma once

#include <dma/config.hpp>
#include <dma/standard.hpp>

struct __half;         // of <cuda_fp16.h>
struct __nv_bfloat16;  // of <cuda_bf16.h>

/// The two-byte floats of CUDA, by their bits: no header of the toolkit is needed, on a host either.
namespace dma::inline v0_1::machine {

/// @name A value's bits as those of a float, and back.
/// @{
[[nodiscard]] DMA_HOST_DEVICE float float_of(stdlib::uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
[[nodiscard]] DMA_HOST_DEVICE stdlib::uint32_t bits_of(float value) {
  stdlib::uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
/// @}

/// A two-byte float: its name in PTX and its conversions. Rounds to the nearest, ties to even, as the memory's sums do;
/// a NaN becomes the hardware's.
template <class Element>
struct HalfFloat {
  static constexpr bool is_known = false;
};

/// A float without its lower 16 bits.
template <>
struct HalfFloat<__nv_bfloat16> {
  static constexpr bool is_known = true;
  static constexpr char name[] = "bf16";

  [[nodiscard]] DMA_HOST_DEVICE static float to_float(stdlib::uint16_t bits) {
    return float_of(stdlib::uint32_t{bits} << 16);
  }
  [[nodiscard]] DMA_HOST_DEVICE static stdlib::uint16_t from_float(float value) {
    const stdlib::uint32_t bits = bits_of(value);
    return static_cast<stdlib::uint16_t>(value != value ? 0x7fff : (bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
  }
};

/// IEEE 754's binary16.
template <>
struct HalfFloat<__half> {
  static constexpr bool is_known = true;
  static constexpr char name[] = "f16";

  [[nodiscard]] DMA_HOST_DEVICE static float to_float(stdlib::uint16_t bits) {
    const stdlib::uint32_t sign = (bits & 0x8000U) << 16;
    const stdlib::uint32_t size = bits & 0x7fffU;
    if (size < 0x400) {  // subnormal: in steps of 2^-24
      return float_of(sign | bits_of(static_cast<float>(size) * 0x1p-24F));
    }
    const stdlib::uint32_t exponent_offset = size < 0x7c00 ? 127 - 15 : 255 - 31;
    return float_of(sign | ((size << 13) + (exponent_offset << 23)));
  }
  [[nodiscard]] DMA_HOST_DEVICE static stdlib::uint16_t from_float(float value) {
    const stdlib::uint32_t sign = bits_of(value) >> 31 << 15;
    const stdlib::uint32_t size = bits_of(value) & 0x7fffffffU;
    if (value != value) {
      return 0x7fff;
    }
    stdlib::uint32_t half = 0x7c00;
    if (size < bits_of(0x1p-14F)) {
      // The last place of a float from 0.5 on is 2^-24, a subnormal's step, to which the addition rounds.
      half = bits_of(float_of(size) + 0.5F) - bits_of(0.5F);
    } else if (size < bits_of(65520.0F)) {
      half = (size - ((127U - 15U) << 23) + 0xfffU + ((size >> 13) & 1U)) >> 13;
    }
    return static_cast<stdlib::uint16_t>(sign | half);
  }
};

/// What is added of an element: itself, or the bits of a two-byte float.
template <class Element>
using Summand = stdlib::conditional_t<HalfFloat<Element>::is_known, stdlib::uint16_t, Element>;

/// What memory makes of two elements. The sum of two two-byte floats is rounded once: a float holds it with so many
/// places that its own rounding changes nothing.
template <class Element>
[[nodiscard]] DMA_DETAIL_UNSEEN DMA_HOST_DEVICE Summand<Element> sum_of(Summand<Element> one, Summand<Element> other) {
  if constexpr (HalfFloat<Element>::is_known) {
    using Half = HalfFloat<Element>;
    return Half::from_float(Half::to_float(one) + Half::to_float(other));
  } else {
    return static_cast<Element>(one + other);
  }
}

/// What an adding bulk copy does to global memory, as a loop over elements. Sums of a GPU are atomic, and no access
/// that a proof orders.
template <class Element>
DMA_DETAIL_UNSEEN DMA_HOST_DEVICE void add_elements(unsigned char* to, const unsigned char* from, int bytes) {
  for (int i = 0; i < bytes; i += static_cast<int>(sizeof(Element))) {
    Summand<Element> sum;
    Summand<Element> value;
    __builtin_memcpy(&sum, to + i, sizeof sum);
    __builtin_memcpy(&value, from + i, sizeof value);
    sum = sum_of<Element>(sum, value);
    __builtin_memcpy(to + i, &sum, sizeof sum);
  }
}

}  // namespace dma::inline v0_1::machine
