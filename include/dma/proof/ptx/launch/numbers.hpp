#pragma once

#include <dma/proof/ptx/module.hpp>
#include <dma/proof/ptx/values/conversions.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Numbers of a launch, as parameters and elements have them.
namespace dma::inline v0_1::proof::ptx::detail {

/// A type as a launch names it: `u64`, `f32`, `b8`.
[[nodiscard]] inline std::string name_of(const Type& type) {
  using Kind = Type::Kind;
  const char kind = type.kind == Kind::unsigned_integer ? 'u'
                    : type.kind == Kind::signed_integer ? 's'
                    : type.is_float()                   ? 'f'
                                                        : 'b';
  return kind + std::to_string(8 * type.bytes);
}

/// Whether a number is written with a point, or as the bits of one.
[[nodiscard]] inline bool is_real(const Number& number) noexcept { return number.is_double || number.is_single; }
/// @param number  an integer, or real
[[nodiscard]] inline double real_of(const Number& number) noexcept {
  return number.is_double   ? std::bit_cast<double>(number.bits)
         : number.is_single ? std::bit_cast<float>(static_cast<std::uint32_t>(number.bits))
                            : static_cast<double>(static_cast<std::int64_t>(number.bits));
}
/// The format of a floating-point type of one or two bytes; nothing for others.
[[nodiscard]] inline std::optional<Format> small_format(std::string_view name) noexcept {
  const Format format = name == "e4m3" ? Format::e4m3 : name == "e5m2" ? Format::e5m2 : format_of(name);
  const bool is_small =
      format == Format::f16 || format == Format::bf16 || format == Format::e4m3 || format == Format::e5m2;
  return is_small ? std::optional(format) : std::nullopt;
}

/// The bits of a number as a type has it.
///
/// @param name  of the type, where it is one of two that have the same bytes
[[nodiscard]] inline std::uint64_t bits_of(const Number& number, const Type& type, std::string_view name = {}) {
  if (const std::optional<Format> format = small_format(name)) {
    return encode_float(real_of(number), shape_of(*format), Rounding::nearest, false);
  }
  // A number with a point is a single where the size says so: PTX has parameters of bits alone.
  if (type.bytes == 4 && (is_real(number) || type.is_float())) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(real_of(number)));
  }
  if (type.bytes == 8 && (is_real(number) || type.is_float())) {
    return std::bit_cast<std::uint64_t>(real_of(number));
  }
  return number.bits;
}

/// Why a number is none of a type, and a way out; empty where it is one. A negative integer is one of an unsigned type,
/// since compilers name no other for C++'s `int`; an integer is one of a floating-point type.
///
/// @param text  the number as it is written
/// @param name  of the type, where it is one of two that have the same bytes
[[nodiscard]] inline std::string misfit(std::string_view text, const Number& number, const Type& type,
                                        std::string_view name = {}) {
  const std::string is_none = std::string(text) + " is no " + (name.empty() ? name_of(type) : std::string(name));
  const bool has_sign_or_not = type.kind == Type::Kind::unsigned_integer || type.kind == Type::Kind::signed_integer;
  const std::optional<Format> small = small_format(name);
  if (is_real(number) && !small && (has_sign_or_not || type.bytes < 4)) {
    return is_none + (has_sign_or_not ? "; write an integer" : "; give its bits as an integer");
  }
  if (small || (type.bytes == 4 && (type.is_float() || is_real(number)))) {
    const auto shape = shape_of(small.value_or(Format::f32));
    const double real = real_of(number);
    const double rounded = decode_float(encode_float(real, shape, Rounding::nearest, false), shape);
    // Rounding changes a number by less than a quarter, or there is no such number.
    const bool is_near = !std::isfinite(real) || std::abs(real) <= 1 || std::abs(rounded - real) <= std::abs(real) / 4;
    return is_near ? "" : is_none + "; write a smaller number";
  }
  if (is_real(number) || type.is_float() || type.bytes >= 8) {
    return "";
  }
  const int bits = 8 * type.bytes;
  const auto value = static_cast<std::int64_t>(number.bits);
  const bool is_negative = text.starts_with('-');
  const bool fits = is_negative ? value >= -(std::int64_t{1} << (bits - 1)) : number.bits >> bits == 0;
  return fits ? "" : is_none + "; write a number of " + std::to_string(bits) + " bits";
}

}  // namespace dma::inline v0_1::proof::ptx::detail
