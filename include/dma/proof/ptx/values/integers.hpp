#pragma once

#include <dma/proof/ptx/instruction.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

namespace dma::inline v0_1::proof::ptx::detail {

/// A comparison's result with the predicate that the instruction combines it with.
[[nodiscard]] constexpr bool combine(const Instruction& instruction, bool holds, std::uint64_t other) noexcept {
  switch (instruction.combination) {
    case Combination::conjunction:
      return holds && other != 0;
    case Combination::disjunction:
      return holds || other != 0;
    case Combination::exclusive:
      return holds != (other != 0);
    case Combination::none:
      break;
  }
  return holds;
}

/// Whether a comparison holds. Those that end in u hold of values without an order too.
template <class T>
[[nodiscard]] bool compare(Comparison comparison, T a, T b) noexcept {
  const bool has_order = a == a && b == b;
  switch (comparison) {
    case Comparison::eq:
      return a == b;
    case Comparison::ne:
      return has_order && a != b;
    case Comparison::lt:
      return a < b;
    case Comparison::le:
      return a <= b;
    case Comparison::gt:
      return a > b;
    case Comparison::ge:
      return a >= b;
    case Comparison::equ:
      return !has_order || a == b;
    case Comparison::neu:
      return !has_order || a != b;
    case Comparison::ltu:
      return !has_order || a < b;
    case Comparison::leu:
      return !has_order || a <= b;
    case Comparison::gtu:
      return !has_order || a > b;
    case Comparison::geu:
      return !has_order || a >= b;
    case Comparison::num:
      return has_order;
    case Comparison::nan:
      return !has_order;
  }
  return false;
}

/// The integer instructions of one type. Results are bits without a sign.
///
/// Source  PTX ISA, "Integer Arithmetic Instructions", "Logic and Shift Instructions"
template <class T>
struct Integers {
  using U = std::make_unsigned_t<T>;
  using Values = const std::uint64_t*;
  __extension__ typedef std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128> Wide;
  static constexpr int bits = 8 * static_cast<int>(sizeof(T));

  [[nodiscard]] static U u(std::uint64_t value) noexcept { return static_cast<U>(value); }
  [[nodiscard]] static T t(std::uint64_t value) noexcept { return static_cast<T>(value); }
  [[nodiscard]] static std::uint64_t out(std::uint64_t value) noexcept { return u(value); }

  static std::uint64_t add(const Instruction& instruction, Values v) {
    if (instruction.saturates) {
      return clamp(static_cast<Wide>(t(v[0])) + t(v[1]));
    }
    return out(v[0] + v[1]);
  }
  static std::uint64_t sub(const Instruction& instruction, Values v) {
    if (instruction.saturates) {
      return clamp(static_cast<Wide>(t(v[0])) - t(v[1]));
    }
    return out(v[0] - v[1]);
  }
  static std::uint64_t mul_lo(const Instruction&, Values v) { return out(v[0] * v[1]); }
  static std::uint64_t mul_hi(const Instruction&, Values v) {
    return out(static_cast<std::uint64_t>((static_cast<Wide>(t(v[0])) * t(v[1])) >> bits));
  }
  static std::uint64_t mul_wide(const Instruction&, Values v) {
    return static_cast<std::uint64_t>(static_cast<Wide>(t(v[0])) * t(v[1]));
  }
  static std::uint64_t mad_lo(const Instruction& i, Values v) { return out(mul_lo(i, v) + v[2]); }
  static std::uint64_t mad_hi(const Instruction& i, Values v) {
    return i.saturates ? clamp(static_cast<Wide>(t(mul_hi(i, v))) + t(v[2])) : out(mul_hi(i, v) + v[2]);
  }
  static std::uint64_t mad_wide(const Instruction& i, Values v) { return mul_wide(i, v) + v[2]; }
  /// Division by zero gives what a GPU gives: all bits, and the dividend as the rest.
  static std::uint64_t div(const Instruction&, Values v) {
    return u(v[1]) == 0    ? out(~std::uint64_t{0})
           : is_minimum(v) ? out(v[0])
                           : out(static_cast<std::uint64_t>(t(v[0]) / t(v[1])));
  }
  static std::uint64_t rem(const Instruction&, Values v) {
    return u(v[1]) == 0 ? out(v[0]) : is_minimum(v) ? 0 : out(static_cast<std::uint64_t>(t(v[0]) % t(v[1])));
  }
  static std::uint64_t min(const Instruction&, Values v) { return t(v[0]) < t(v[1]) ? out(v[0]) : out(v[1]); }
  static std::uint64_t max(const Instruction&, Values v) { return t(v[0]) > t(v[1]) ? out(v[0]) : out(v[1]); }
  static std::uint64_t neg(const Instruction&, Values v) { return out(std::uint64_t{0} - v[0]); }
  static std::uint64_t abs(const Instruction&, Values v) {
    return is_negative(v[0]) ? out(std::uint64_t{0} - v[0]) : out(v[0]);
  }
  static std::uint64_t sad(const Instruction&, Values v) {
    return t(v[0]) < t(v[1]) ? out(v[2] + v[1] - v[0]) : out(v[2] + v[0] - v[1]);
  }
  static std::uint64_t bit_and(const Instruction&, Values v) { return out(v[0] & v[1]); }
  static std::uint64_t bit_or(const Instruction&, Values v) { return out(v[0] | v[1]); }
  static std::uint64_t bit_xor(const Instruction&, Values v) { return out(v[0] ^ v[1]); }
  static std::uint64_t bit_not(const Instruction&, Values v) { return out(~v[0]); }
  static std::uint64_t cnot(const Instruction&, Values v) { return u(v[0]) == 0 ? 1 : 0; }
  static std::uint64_t shl(const Instruction&, Values v) {
    const auto by = static_cast<std::uint32_t>(v[1]);
    return by >= static_cast<std::uint32_t>(bits) ? 0 : out(v[0] << by);
  }
  static std::uint64_t shr(const Instruction&, Values v) {
    const auto by = static_cast<std::uint32_t>(v[1]);
    const bool is_all = by >= static_cast<std::uint32_t>(bits);
    return is_all && !std::is_signed_v<T>
               ? 0
               : out(static_cast<std::uint64_t>(t(v[0]) >> (is_all ? bits - 1 : static_cast<int>(by))));
  }
  static std::uint64_t setp(const Instruction& instruction, Values v) {
    const bool holds = compare<T>(instruction.comparison, t(v[0]), t(v[1]));
    return combine(instruction, holds, v[2]);
  }
  static std::uint64_t popc(const Instruction&, Values v) { return static_cast<std::uint64_t>(std::popcount(u(v[0]))); }
  static std::uint64_t clz(const Instruction&, Values v) {
    return static_cast<std::uint64_t>(std::countl_zero(u(v[0])));
  }
  static std::uint64_t brev(const Instruction&, Values v) {
    std::uint64_t reversed = 0;
    for (int bit = 0; bit < bits; ++bit) {
      reversed |= (v[0] >> bit & 1U) << (bits - 1 - bit);
    }
    return reversed;
  }
  /// `mode` 1: the shift that brings the bit to the top.
  static std::uint64_t bfind(const Instruction& instruction, Values v) {
    const U value = is_negative(v[0]) ? static_cast<U>(~u(v[0])) : u(v[0]);
    if (value == 0) {
      return std::numeric_limits<std::uint32_t>::max();
    }
    const int zeros = std::countl_zero(value);
    return static_cast<std::uint64_t>(instruction.mode == 1 ? zeros : bits - 1 - zeros);
  }
  static std::uint64_t bfe(const Instruction&, Values v) {
    const int first = static_cast<int>(v[1] & 255U);
    const int count = static_cast<int>(v[2] & 255U);
    const int sign_at = first + count - 1 < bits - 1 ? first + count - 1 : bits - 1;
    const bool sign = std::is_signed_v<T> && count != 0 && (u(v[0]) >> sign_at & 1U) != 0;
    std::uint64_t field = sign ? ~std::uint64_t{0} : 0;
    for (int bit = 0; bit < bits; ++bit) {
      if (bit < count && first + bit < bits) {
        const std::uint64_t at = std::uint64_t{1} << bit;
        field = (u(v[0]) >> (first + bit) & 1U) != 0 ? field | at : field & ~at;
      }
    }
    return out(field);
  }
  static std::uint64_t bfi(const Instruction&, Values v) {
    const int first = static_cast<int>(v[2] & 255U);
    const int count = static_cast<int>(v[3] & 255U);
    std::uint64_t field = v[1];
    for (int bit = 0; bit < count && first + bit < bits; ++bit) {
      const std::uint64_t at = std::uint64_t{1} << (first + bit);
      field = (v[0] >> bit & 1U) != 0 ? field | at : field & ~at;
    }
    return out(field);
  }
  /// The bits that two values and a table of eight bits give.
  static std::uint64_t lop3(const Instruction&, Values v) {
    std::uint64_t result = 0;
    for (int bit = 0; bit < bits; ++bit) {
      const std::uint64_t row = (v[0] >> bit & 1U) << 2U | (v[1] >> bit & 1U) << 1U | (v[2] >> bit & 1U);
      result |= (v[3] >> row & 1U) << bit;
    }
    return result;
  }

 private:
  [[nodiscard]] static bool is_negative(std::uint64_t value) {
    return std::is_signed_v<T> && (u(value) >> (8 * sizeof(T) - 1)) != 0;
  }
  [[nodiscard]] static bool is_minimum(Values v) {
    return std::is_signed_v<T> && t(v[0]) == std::numeric_limits<T>::min() && t(v[1]) == static_cast<T>(-1);
  }
  [[nodiscard]] static std::uint64_t clamp(Wide value) {
    constexpr Wide least = std::numeric_limits<T>::min();
    constexpr Wide most = std::numeric_limits<T>::max();
    return out(static_cast<std::uint64_t>(std::clamp(value, least, most)));
  }
};

/// The function of an integer instruction; null where this type has none.
template <class T>
[[nodiscard]] Compute integer_function(const Statement& statement) {
  using I = Integers<T>;
  struct Row {
    std::string_view name;
    Compute compute;
  };
  static constexpr Row rows[] = {
      {"add", &I::add},     {"sub", &I::sub},     {"div", &I::div},     {"rem", &I::rem},   {"min", &I::min},
      {"max", &I::max},     {"neg", &I::neg},     {"abs", &I::abs},     {"sad", &I::sad},   {"and", &I::bit_and},
      {"or", &I::bit_or},   {"xor", &I::bit_xor}, {"not", &I::bit_not}, {"cnot", &I::cnot}, {"shl", &I::shl},
      {"shr", &I::shr},     {"setp", &I::setp},   {"popc", &I::popc},   {"clz", &I::clz},   {"brev", &I::brev},
      {"bfind", &I::bfind}, {"bfe", &I::bfe},     {"bfi", &I::bfi},     {"lop3", &I::lop3},
  };
  const std::string_view name = statement.name();
  if (name == "mul") {
    return statement.has("wide") ? &I::mul_wide : statement.has("hi") ? &I::mul_hi : &I::mul_lo;
  }
  if (name == "mad") {
    return statement.has("wide") ? &I::mad_wide : statement.has("hi") ? &I::mad_hi : &I::mad_lo;
  }
  for (const Row& row : rows) {
    if (row.name == name) {
      return row.compute;
    }
  }
  return nullptr;
}

/// The same by the type.
[[nodiscard]] inline Compute integer_function(const Statement& statement, const Type& type) {
  switch (type.bytes) {
    case 1:
      return type.is_signed() ? integer_function<std::int8_t>(statement) : integer_function<std::uint8_t>(statement);
    case 2:
      return type.is_signed() ? integer_function<std::int16_t>(statement) : integer_function<std::uint16_t>(statement);
    case 4:
      return type.is_signed() ? integer_function<std::int32_t>(statement) : integer_function<std::uint32_t>(statement);
    case 8:
      return type.is_signed() ? integer_function<std::int64_t>(statement) : integer_function<std::uint64_t>(statement);
    default:
      return nullptr;
  }
}

}  // namespace dma::inline v0_1::proof::ptx::detail
