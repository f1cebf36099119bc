#pragma once

#include <dma/config.hpp>
#include <dma/machine/half_float.hpp>
#include <dma/standard.hpp>

struct __nv_fp8_e4m3;  // of <cuda_fp8.h>
struct __nv_fp8_e5m2;

/// What products of the tensor cores take as elements: floats of one or two bytes.
namespace dma::inline v0_1::machine {

/// A one-byte float: its name in PTX and its value, by its bits.
template <class Element>
struct ByteFloat {
  static constexpr bool is_known = false;
};

/// Four bits of exponent and three of mantissa, without infinities: 448 is the largest, 0x7f and 0xff are NaN.
template <>
struct ByteFloat<__nv_fp8_e4m3> {
  static constexpr bool is_known = true;
  static constexpr char name[] = "e4m3";

  [[nodiscard]] DMA_HOST_DEVICE static float to_float(stdlib::uint8_t bits) {
    const stdlib::uint32_t sign = stdlib::uint32_t{bits & 0x80U} << 24;
    const stdlib::uint32_t size = bits & 0x7fU;
    // Its exponent in a float's place is 120 too small, a subnormal's too.
    const float value = size == 0x7f ? float_of(0x7fc00000) : float_of(size << 20) * 0x1p120F;
    return float_of(sign | bits_of(value));
  }
};

/// The upper byte of a binary16.
template <>
struct ByteFloat<__nv_fp8_e5m2> {
  static constexpr bool is_known = true;
  static constexpr char name[] = "e5m2";

  [[nodiscard]] DMA_HOST_DEVICE static float to_float(stdlib::uint8_t bits) {
    return HalfFloat<__half>::to_float(static_cast<stdlib::uint16_t>(bits << 8));
  }
};

/// An element of products: its name in PTX, its value, and its bits as an integer.
template <class Element>
using ProductFloat = stdlib::conditional_t<ByteFloat<Element>::is_known, ByteFloat<Element>, HalfFloat<Element>>;
template <class Element>
using ProductBits = stdlib::conditional_t<ByteFloat<Element>::is_known, stdlib::uint8_t, stdlib::uint16_t>;

/// The values of k over which an instruction sums: 32 bytes.
template <class Element>
inline constexpr int k_of_product = ByteFloat<Element>::is_known ? 32 : 16;

}  // namespace dma::inline v0_1::machine
