#pragma once

#include <dma/machine/half_float.hpp>
#include <dma/proof/ptx/products/mma_shape.hpp>
#include <dma/proof/ptx/values/conversions.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace dma::inline v0_1::proof::ptx::detail {

/// Value `place` in the bits of a register.
template <class Sum>
[[nodiscard]] Sum mma_value(MmaType type, std::uint64_t bits, std::size_t place) {
  switch (type) {
    case MmaType::f16:
      return static_cast<Sum>(machine::HalfFloat<__half>::to_float(static_cast<std::uint16_t>(bits >> (16 * place))));
    case MmaType::bf16:
      return static_cast<Sum>(
          machine::HalfFloat<__nv_bfloat16>::to_float(static_cast<std::uint16_t>(bits >> (16 * place))));
    case MmaType::tf32:  // The lower 13 bits are not read.
      return static_cast<Sum>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) & 0xffffe000U));
    case MmaType::f32:
      return static_cast<Sum>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case MmaType::f64:
      return static_cast<Sum>(std::bit_cast<double>(bits));
    case MmaType::e4m3:
      return static_cast<Sum>(decode_float(bits >> (8 * place) & 0xffU, shape_of(Format::e4m3)));
    case MmaType::e5m2:
      return static_cast<Sum>(decode_float(bits >> (8 * place) & 0xffU, shape_of(Format::e5m2)));
    case MmaType::e2m3:
      return static_cast<Sum>(decode_float(bits & 0x3fU, {.exponent_bits = 2, .mantissa_bits = 3, .is_finite = true}));
    case MmaType::e3m2:
      return static_cast<Sum>(decode_float(bits & 0x3fU, {.exponent_bits = 3, .mantissa_bits = 2, .is_finite = true}));
    case MmaType::e2m1:
      return static_cast<Sum>(decode_float(bits & 0xfU, {.exponent_bits = 2, .mantissa_bits = 1, .is_finite = true}));
    case MmaType::s8:
      return static_cast<Sum>(static_cast<std::int8_t>(bits >> (8 * place)));
    case MmaType::u8:
      return static_cast<Sum>(static_cast<std::uint8_t>(bits >> (8 * place)));
    case MmaType::s4:
      return static_cast<Sum>(static_cast<std::int8_t>(bits >> (4 * place) << 4) >> 4);
    case MmaType::u4:
      return static_cast<Sum>(bits >> (4 * place) & 0xfU);
    default:
      return static_cast<Sum>(static_cast<std::int32_t>(bits));
  }
}
/// The bits of a sum of this type, an integer saturated at the ends of its type where the instruction says so.
[[nodiscard]] inline std::uint64_t mma_bits(MmaType type, float sum, bool) {
  return type == MmaType::f16 ? std::uint64_t{machine::HalfFloat<__half>::from_float(sum)}
                              : std::uint64_t{std::bit_cast<std::uint32_t>(sum)};
}
[[nodiscard]] inline std::uint64_t mma_bits(MmaType, double sum, bool) { return std::bit_cast<std::uint64_t>(sum); }
[[nodiscard]] inline std::uint64_t mma_bits(MmaType, std::int64_t sum, bool saturates) {
  using Int = std::numeric_limits<std::int32_t>;
  return static_cast<std::uint32_t>(saturates ? std::clamp<std::int64_t>(sum, Int::min(), Int::max()) : sum);
}

}  // namespace dma::inline v0_1::proof::ptx::detail
