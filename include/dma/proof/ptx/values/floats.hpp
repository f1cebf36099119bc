#pragma once

#include <dma/proof/ptx/instruction.hpp>
#include <dma/proof/ptx/values/integers.hpp>

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

namespace dma::inline v0_1::proof::ptx::detail {

/// Rounds as an instruction says, until its end.
class RoundingScope {
 public:
  explicit RoundingScope(Rounding rounding) : is_other_(rounding != Rounding::nearest) {
    if (is_other_) {
      std::fesetround(rounding == Rounding::zero   ? FE_TOWARDZERO
                      : rounding == Rounding::down ? FE_DOWNWARD
                                                   : FE_UPWARD);
    }
  }
  ~RoundingScope() {
    if (is_other_) {
      std::fesetround(FE_TONEAREST);
    }
  }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  bool is_other_;
};

/// Floating-point instructions of one type. Functions that a GPU approximates are the host's.
///
/// Source  PTX ISA, "Floating Point Instructions"
template <class T>
struct Floats {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  using Values = const std::uint64_t*;

  [[nodiscard]] static T flush(const Instruction& instruction, T value) {
    return instruction.flushes && std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(T{0}, value) : value;
  }
  [[nodiscard]] static T in(const Instruction& instruction, std::uint64_t bits) {
    return flush(instruction, std::bit_cast<T>(static_cast<Bits>(bits)));
  }
  [[nodiscard]] static std::uint64_t out(const Instruction& instruction, T value) {
    value = flush(instruction, value);
    if (instruction.saturates) {
      value = value > T{0} ? (value < T{1} ? value : T{1}) : T{0};  // Not a number: 0.
    }
    return value != value ? canonical_nan : std::bit_cast<Bits>(value);
  }

  static std::uint64_t add(const Instruction& i, Values v) {
    const RoundingScope scope(i.rounding);
    const volatile T a = in(i, v[0]);
    const volatile T b = in(i, v[1]);
    const volatile T result = a + b;
    return out(i, result);
  }
  static std::uint64_t sub(const Instruction& i, Values v) {
    const RoundingScope scope(i.rounding);
    const volatile T a = in(i, v[0]);
    const volatile T b = in(i, v[1]);
    const volatile T result = a - b;
    return out(i, result);
  }
  static std::uint64_t mul(const Instruction& i, Values v) {
    const RoundingScope scope(i.rounding);
    const volatile T a = in(i, v[0]);
    const volatile T b = in(i, v[1]);
    const volatile T result = a * b;
    return out(i, result);
  }
  static std::uint64_t div(const Instruction& i, Values v) {
    const RoundingScope scope(i.rounding);
    const volatile T a = in(i, v[0]);
    const volatile T b = in(i, v[1]);
    const volatile T result = a / b;
    return out(i, result);
  }
  static std::uint64_t fma(const Instruction& i, Values v) {
    const RoundingScope scope(i.rounding);
    const volatile T a = in(i, v[0]);
    const volatile T result = std::fma(a, in(i, v[1]), in(i, v[2]));
    return out(i, result);
  }
  static std::uint64_t rcp(const Instruction& i, Values v) {
    const RoundingScope scope(i.rounding);
    const volatile T a = in(i, v[0]);
    const volatile T result = T{1} / a;
    return out(i, result);
  }
  static std::uint64_t sqrt(const Instruction& i, Values v) {
    const RoundingScope scope(i.rounding);
    const volatile T a = in(i, v[0]);
    const volatile T result = std::sqrt(a);
    return out(i, result);
  }
  static std::uint64_t rsqrt(const Instruction& i, Values v) { return out(i, T{1} / std::sqrt(in(i, v[0]))); }
  static std::uint64_t ex2(const Instruction& i, Values v) { return out(i, std::exp2(in(i, v[0]))); }
  static std::uint64_t lg2(const Instruction& i, Values v) { return out(i, std::log2(in(i, v[0]))); }
  static std::uint64_t sin(const Instruction& i, Values v) { return out(i, std::sin(in(i, v[0]))); }
  static std::uint64_t cos(const Instruction& i, Values v) { return out(i, std::cos(in(i, v[0]))); }
  static std::uint64_t tanh(const Instruction& i, Values v) { return out(i, std::tanh(in(i, v[0]))); }
  static std::uint64_t neg(const Instruction& i, Values v) { return out(i, -in(i, v[0])); }
  static std::uint64_t abs(const Instruction& i, Values v) { return out(i, std::fabs(in(i, v[0]))); }
  /// Of one number and what is none the number; with `.NaN` not. Of two zeros the one below, or above.
  static std::uint64_t min(const Instruction& i, Values v) { return least(i, in(i, v[0]), in(i, v[1])); }
  static std::uint64_t max(const Instruction& i, Values v) {
    const T a = in(i, v[0]);
    const T b = in(i, v[1]);
    if (a != a || b != b) {
      return out(i, i.mode == 1 || (a != a && b != b) ? std::numeric_limits<T>::quiet_NaN() : a != a ? b : a);
    }
    return out(i, a == b ? (std::signbit(a) ? b : a) : a > b ? a : b);
  }
  static std::uint64_t copysign(const Instruction&, Values v) {
    constexpr Bits sign = Bits{1} << (8 * sizeof(T) - 1);
    return (static_cast<Bits>(v[1]) & ~sign) | (static_cast<Bits>(v[0]) & sign);
  }
  static std::uint64_t setp(const Instruction& i, Values v) {
    return combine(i, compare<T>(i.comparison, in(i, v[0]), in(i, v[1])), v[2]);
  }

 private:
  static constexpr Bits canonical_nan =
      sizeof(T) == 4 ? static_cast<Bits>(0x7fffffffU) : static_cast<Bits>(0x7fffffffffffffffULL);

  [[nodiscard]] static std::uint64_t least(const Instruction& i, T a, T b) {
    if (a != a || b != b) {
      return out(i, i.mode == 1 || (a != a && b != b) ? std::numeric_limits<T>::quiet_NaN() : a != a ? b : a);
    }
    return out(i, a == b ? (std::signbit(a) ? a : b) : a < b ? a : b);
  }
};

/// The function of a floating-point instruction; null where there is none.
template <class T>
[[nodiscard]] Compute float_function(std::string_view name) {
  using F = Floats<T>;
  struct Row {
    std::string_view name;
    Compute compute;
  };
  static constexpr Row rows[] = {
      {"add", &F::add}, {"sub", &F::sub}, {"mul", &F::mul},   {"div", &F::div},     {"fma", &F::fma},
      {"mad", &F::fma}, {"rcp", &F::rcp}, {"sqrt", &F::sqrt}, {"rsqrt", &F::rsqrt}, {"ex2", &F::ex2},
      {"lg2", &F::lg2}, {"sin", &F::sin}, {"cos", &F::cos},   {"tanh", &F::tanh},   {"neg", &F::neg},
      {"abs", &F::abs}, {"min", &F::min}, {"max", &F::max},   {"setp", &F::setp},   {"copysign", &F::copysign},
  };
  for (const Row& row : rows) {
    if (row.name == name) {
      return row.compute;
    }
  }
  return nullptr;
}

}  // namespace dma::inline v0_1::proof::ptx::detail
