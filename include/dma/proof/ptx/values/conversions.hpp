#pragma once

#include <dma/proof/ptx/instruction.hpp>
#include <dma/proof/ptx/values/floats.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

namespace dma::inline v0_1::proof::ptx::detail {

/// A floating-point format of at most 32 bits.
struct FloatShape {
  int exponent_bits;
  int mantissa_bits;
  bool has_infinity = true;
  bool is_finite = false;  ///< each number is one: none is infinite, or no number

  [[nodiscard]] int bias() const noexcept { return (1 << (exponent_bits - 1)) - 1; }
  [[nodiscard]] int bits() const noexcept { return 1 + exponent_bits + mantissa_bits; }
};

/// The shape of a floating-point format.
[[nodiscard]] constexpr FloatShape shape_of(Format format) noexcept {
  switch (format) {
    case Format::f16:
      return {5, 10};
    case Format::bf16:
      return {8, 7};
    case Format::e4m3:
      return {4, 3, false};
    case Format::e5m2:
      return {5, 2};
    default:
      return {8, 23};
  }
}

/// The number that bits of a format are.
[[nodiscard]] inline double decode_float(std::uint64_t bits, const FloatShape& shape) {
  const std::uint64_t mantissa = bits & ((1U << shape.mantissa_bits) - 1);
  const auto exponent = static_cast<int>(bits >> shape.mantissa_bits & ((1U << shape.exponent_bits) - 1));
  const double sign = (bits >> (shape.bits() - 1) & 1U) != 0 ? -1 : 1;
  const int most = (1 << shape.exponent_bits) - 1;
  if (!shape.is_finite && exponent == most && (shape.has_infinity || mantissa == (1U << shape.mantissa_bits) - 1)) {
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  }
  const double one = exponent == 0 ? 0 : 1;
  return sign * std::ldexp(one + std::ldexp(static_cast<double>(mantissa), -shape.mantissa_bits),
                           (exponent == 0 ? 1 : exponent) - shape.bias());
}

/// The bits that are nearest to a number, as a rounding says.
///
/// @param stays_finite  the largest number for what is larger
[[nodiscard]] inline std::uint64_t encode_float(double value, const FloatShape& shape, Rounding rounding,
                                                bool stays_finite) {
  const std::uint64_t sign = std::signbit(value) ? std::uint64_t{1} << (shape.bits() - 1) : 0;
  const std::uint64_t exponents = ((1U << shape.exponent_bits) - 1U) << shape.mantissa_bits;
  if (value != value) {
    return (std::uint64_t{1} << (shape.bits() - 1)) - 1;
  }
  const std::uint64_t largest = shape.has_infinity ? exponents - 1 : exponents + (1U << shape.mantissa_bits) - 2;
  const std::uint64_t beyond = stays_finite ? largest : shape.has_infinity ? exponents : largest + 1;
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) {
    return sign | beyond;
  }
  const int exponent = magnitude == 0 ? 1 - shape.bias() : std::max(std::ilogb(magnitude), 1 - shape.bias());
  const double units = std::ldexp(magnitude, shape.mantissa_bits - exponent);
  const bool goes_up = rounding == Rounding::up ? sign == 0 : rounding == Rounding::down && sign != 0;
  const double whole = rounding == Rounding::nearest ? std::nearbyint(units)
                       : goes_up                     ? std::ceil(units)
                                                     : std::floor(units);
  const auto count = static_cast<std::uint64_t>(whole);
  const std::uint64_t bits = (static_cast<std::uint64_t>(exponent + shape.bias() - 1) << shape.mantissa_bits) + count;
  if (bits <= largest) {
    return sign | bits;
  }
  return sign | (rounding == Rounding::nearest || goes_up ? beyond : largest);
}

/// Whether a format is one of integers.
[[nodiscard]] constexpr bool is_integer(Format format) noexcept {
  return format >= Format::u8 && format <= Format::s64;
}

/// Conversions between numbers.
///
/// Source  PTX ISA, "cvt"
class Conversion {
 public:
  static std::uint64_t compute(const Instruction& instruction, const std::uint64_t* values) {
    return Conversion(instruction).of(values[0]);
  }
  /// Of two values, of which the first becomes the upper half.
  static std::uint64_t compute_pair(const Instruction& instruction, const std::uint64_t* values) {
    const Conversion conversion(instruction);
    const int bits = shape_of(instruction.to).bits();
    return conversion.of(values[0]) << bits | conversion.of(values[1]);
  }
  /// Of the two values of a register.
  static std::uint64_t compute_both(const Instruction& instruction, const std::uint64_t* values) {
    const Conversion conversion(instruction);
    const int from = shape_of(instruction.from).bits();
    const std::uint64_t lower = values[0] & ((std::uint64_t{1} << from) - 1);
    const std::uint64_t upper = values[0] >> from & ((std::uint64_t{1} << from) - 1);
    return conversion.of(upper) << shape_of(instruction.to).bits() | conversion.of(lower);
  }

 private:
  __extension__ typedef __int128 Wide;

  explicit Conversion(const Instruction& instruction) : instruction_(instruction) {}

  [[nodiscard]] std::uint64_t of(std::uint64_t bits) const {
    if (is_integer(instruction_.from)) {
      const Wide value = integer_of(bits, instruction_.from);
      return is_integer(instruction_.to) ? integer_bits(value, instruction_.saturates) : float_of(value);
    }
    const double value = float_value(bits);
    return is_integer(instruction_.to) ? integer_of(value) : float_bits(value);
  }
  [[nodiscard]] static Wide integer_of(std::uint64_t bits, Format format) {
    switch (format) {
      case Format::u8:
        return static_cast<std::uint8_t>(bits);
      case Format::s8:
        return static_cast<std::int8_t>(bits);
      case Format::u16:
        return static_cast<std::uint16_t>(bits);
      case Format::s16:
        return static_cast<std::int16_t>(bits);
      case Format::u32:
        return static_cast<std::uint32_t>(bits);
      case Format::s32:
        return static_cast<std::int32_t>(bits);
      case Format::s64:
        return static_cast<std::int64_t>(bits);
      default:
        return bits;
    }
  }
  [[nodiscard]] std::uint64_t integer_bits(Wide value, bool saturates) const {
    const int size = 8 << ((static_cast<int>(instruction_.to) - static_cast<int>(Format::u8)) / 2);
    const bool is_signed = (static_cast<int>(instruction_.to) - static_cast<int>(Format::u8)) % 2 == 1;
    const Wide most = (Wide{1} << (is_signed ? size - 1 : size)) - 1;
    const Wide least = is_signed ? -most - 1 : 0;
    const Wide kept = !saturates ? value : value < least ? least : value > most ? most : value;
    // A signed result fills its register.
    return static_cast<std::uint64_t>(is_signed ? kept : kept & most);
  }
  [[nodiscard]] std::uint64_t float_of(Wide value) const {
    const RoundingScope scope(instruction_.rounding);
    if (instruction_.to == Format::f64) {
      const volatile double result = static_cast<double>(value);
      return Floats<double>::out(instruction_, result);
    }
    if (instruction_.to == Format::f32) {
      const volatile Wide whole = value;
      const volatile float result = static_cast<float>(whole);
      return Floats<float>::out(instruction_, result);
    }
    return float_bits(static_cast<double>(value));
  }
  [[nodiscard]] double float_value(std::uint64_t bits) const {
    return instruction_.from == Format::f64   ? Floats<double>::in(instruction_, bits)
           : instruction_.from == Format::f32 ? static_cast<double>(Floats<float>::in(instruction_, bits))
                                              : decode_float(bits, shape_of(instruction_.from));
  }
  [[nodiscard]] static double round(double value, Rounding rounding) {
    return rounding == Rounding::zero   ? std::trunc(value)
           : rounding == Rounding::down ? std::floor(value)
           : rounding == Rounding::up   ? std::ceil(value)
                                        : std::nearbyint(value);
  }
  /// Out of its range: the nearest integer. Not a number: 0.
  [[nodiscard]] std::uint64_t integer_of(double value) const {
    const double whole = round(value, instruction_.rounding);
    constexpr double beyond = 1e30;
    return whole != whole ? 0 : integer_bits(static_cast<Wide>(std::fmin(std::fmax(whole, -beyond), beyond)), true);
  }
  [[nodiscard]] std::uint64_t float_bits(double value) const {
    const bool is_integral = instruction_.mode == 1;
    if (is_integral) {
      value = round(value, instruction_.rounding);
    }
    if (instruction_.to == Format::f64) {
      return Floats<double>::out(instruction_, value);
    }
    if (instruction_.to == Format::f32) {
      const RoundingScope scope(is_integral ? Rounding::nearest : instruction_.rounding);
      const volatile double exact = value;
      const volatile float result = static_cast<float>(exact);
      return Floats<float>::out(instruction_, result);
    }
    if (instruction_.mode == 2 && value < 0) {
      value = 0;
    }
    if (instruction_.to == Format::tf32) {
      return encode_float(value, {8, 10}, instruction_.rounding, instruction_.saturates) << 13U;
    }
    return encode_float(value, shape_of(instruction_.to), instruction_.rounding, instruction_.saturates);
  }

  const Instruction& instruction_;
};

/// The format of a type such as `f16x2`; `none` for a word that names none.
[[nodiscard]] inline Format format_of(std::string_view type) noexcept {
  struct Row {
    std::string_view name;
    Format format;
  };
  static constexpr std::array rows{Row{"u8", Format::u8},       Row{"s8", Format::s8},      Row{"u16", Format::u16},
                                   Row{"s16", Format::s16},     Row{"u32", Format::u32},    Row{"s32", Format::s32},
                                   Row{"u64", Format::u64},     Row{"s64", Format::s64},    Row{"f16", Format::f16},
                                   Row{"bf16", Format::bf16},   Row{"tf32", Format::tf32},  Row{"f32", Format::f32},
                                   Row{"f64", Format::f64},     Row{"f16x2", Format::f16},  Row{"bf16x2", Format::bf16},
                                   Row{"e4m3x2", Format::e4m3}, Row{"e5m2x2", Format::e5m2}};
  for (const Row& row : rows) {
    if (row.name == type) {
      return row.format;
    }
  }
  return Format::none;
}

}  // namespace dma::inline v0_1::proof::ptx::detail
