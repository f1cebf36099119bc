#pragma once

#include <dma/machine/half_float.hpp>
#include <dma/proof/ptx/instruction.hpp>
#include <dma/proof/ptx/values/floats.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

namespace dma::inline v0_1::proof::ptx::detail {

/// Instructions of two-byte floats, one or two in a register (`flags`).
///
/// Source  PTX ISA, "Half Precision Floating Point Instructions"
template <class Element>
class Halves {
 public:
  /// Null where it is not computed.
  [[nodiscard]] static Compute function(std::string_view name) {
    struct Row {
      std::string_view name;
      Compute compute;
    };
    static constexpr std::array functions{Row{"add", &each<&add>},      Row{"sub", &each<&subtract>},
                                          Row{"mul", &each<&multiply>}, Row{"fma", &each<&fuse>},
                                          Row{"min", &each<&least>},    Row{"max", &each<&greatest>},
                                          Row{"neg", &each<&negate>},   Row{"abs", &each<&size>}};
    for (const Row& row : functions) {
      if (row.name == name) {
        return row.compute;
      }
    }
    return nullptr;
  }
  /// `setp` of one value each.
  static std::uint64_t compare(const Instruction& i, const std::uint64_t* values) {
    const std::uint64_t floats[] = {std::bit_cast<std::uint32_t>(in(i, values[0])),
                                    std::bit_cast<std::uint32_t>(in(i, values[1])), values[2]};
    return float_function<float>("setp")(i, floats);
  }

 private:
  using Half = machine::HalfFloat<Element>;
  using Floats3 = const float (&)[3];

  static constexpr std::uint32_t exponents = std::string_view(Half::name) == "f16" ? 0x7c00 : 0x7f80;

  [[nodiscard]] static std::uint16_t flush(const Instruction& i, std::uint16_t bits) {
    return i.flushes && (bits & exponents) == 0 ? bits & 0x8000U : bits;
  }
  [[nodiscard]] static float in(const Instruction& i, std::uint64_t bits) {
    return Half::to_float(flush(i, static_cast<std::uint16_t>(bits)));
  }
  [[nodiscard]] static std::uint64_t out(const Instruction& i, float value) {
    if (i.saturates) {
      value = value > 0 ? (value < 1 ? value : 1.0F) : 0.0F;  // Not a number: 0.
    }
    if (i.mode == clamps && value <= 0) {
      value = 0;
    }
    return flush(i, Half::from_float(value));
  }
  template <float (*function)(const Instruction&, Floats3)>
  static std::uint64_t each(const Instruction& i, const std::uint64_t* values) {
    std::uint64_t result = 0;
    for (int half = 0; half < i.flags; ++half) {
      const int at = 16 * half;
      const float floats[] = {in(i, values[0] >> at), in(i, values[1] >> at), in(i, values[2] >> at)};
      result |= out(i, function(i, floats)) << at;
    }
    return result;
  }

  // A float has more than twice the places of a half and two more, so that its rounding changes nothing.
  static float add(const Instruction&, Floats3 v) { return v[0] + v[1]; }
  static float subtract(const Instruction&, Floats3 v) { return v[0] - v[1]; }
  static float multiply(const Instruction&, Floats3 v) { return v[0] * v[1]; }
  /// A product is exact in a double. The sum is rounded to an odd place where it is not, which the next rounding sees.
  static float fuse(const Instruction&, Floats3 v) {
    const double product = static_cast<double>(v[0]) * static_cast<double>(v[1]);
    const double sum = product + double{v[2]};
    if (!std::isfinite(sum)) {
      return static_cast<float>(sum);
    }
    const double part = sum - product;
    const double rest = (product - (sum - part)) + (double{v[2]} - part);
    const double odd = rest != 0 && (std::bit_cast<std::uint64_t>(sum) & 1U) == 0
                           ? std::nextafter(sum, rest > 0 ? infinity : -infinity)
                           : sum;
    const auto rounded = static_cast<float>(odd);
    const double lost = odd - double{rounded};
    return lost != 0 && std::isfinite(rounded) && (std::bit_cast<std::uint32_t>(rounded) & 1U) == 0
               ? std::nextafter(rounded, static_cast<float>(lost > 0 ? infinity : -infinity))
               : rounded;
  }
  static float negate(const Instruction&, Floats3 v) { return -v[0]; }
  static float size(const Instruction&, Floats3 v) { return std::fabs(v[0]); }
  static float least(const Instruction& i, Floats3 v) {
    return is_nan(i, v) ? nan : v[0] == v[1] ? (std::signbit(v[0]) ? v[0] : v[1]) : std::fmin(v[0], v[1]);
  }
  static float greatest(const Instruction& i, Floats3 v) {
    return is_nan(i, v) ? nan : v[0] == v[1] ? (std::signbit(v[0]) ? v[1] : v[0]) : std::fmax(v[0], v[1]);
  }
  [[nodiscard]] static bool is_nan(const Instruction& i, Floats3 v) {
    return i.mode == passes_nan && (v[0] != v[0] || v[1] != v[1]);
  }

  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  static constexpr int passes_nan = 1;  ///< `.NaN`, in `Instruction::mode`
  static constexpr int clamps = 2;      ///< `.relu`
};

}  // namespace dma::inline v0_1::proof::ptx::detail
