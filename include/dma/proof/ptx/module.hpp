#pragma once

#include <dma/proof/ptx/read/tokens.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// A type of registers and of memory.
struct Type {
  enum class Kind : unsigned char { none, predicate, bits, unsigned_integer, signed_integer, floating, other };

  Kind kind = Kind::none;
  int bytes = 0;   ///< of one value; 0 for a predicate
  int packed = 1;  ///< values of half the size in one, as in f16x2

  [[nodiscard]] bool is_signed() const noexcept { return kind == Kind::signed_integer; }
  [[nodiscard]] bool is_float() const noexcept { return kind == Kind::floating; }
  [[nodiscard]] bool operator==(const Type&) const = default;
};

/// The type of a modifier such as `u32`; its kind is `none` for a word that is no type.
[[nodiscard]] inline Type type_of(std::string_view word) {
  using Kind = Type::Kind;
  struct Row {
    std::string_view name;
    Type type = {};
  };
  static constexpr std::array rows{
      Row{"pred", {Kind::predicate, 0}},
      Row{"b8", {Kind::bits, 1}},
      Row{"b16", {Kind::bits, 2}},
      Row{"b32", {Kind::bits, 4}},
      Row{"b64", {Kind::bits, 8}},
      Row{"b128", {Kind::bits, 16}},
      Row{"u8", {Kind::unsigned_integer, 1}},
      Row{"u16", {Kind::unsigned_integer, 2}},
      Row{"u32", {Kind::unsigned_integer, 4}},
      Row{"u64", {Kind::unsigned_integer, 8}},
      Row{"s8", {Kind::signed_integer, 1}},
      Row{"s16", {Kind::signed_integer, 2}},
      Row{"s32", {Kind::signed_integer, 4}},
      Row{"s64", {Kind::signed_integer, 8}},
      Row{"f32", {Kind::floating, 4}},
      Row{"f64", {Kind::floating, 8}},
      Row{"f16", {Kind::other, 2}},
      Row{"f16x2", {Kind::other, 4, 2}},
      Row{"bf16", {Kind::other, 2}},
      Row{"bf16x2", {Kind::other, 4, 2}},
      Row{"tf32", {Kind::other, 4}},
      Row{"f32x2", {Kind::other, 8, 2}},
      Row{"e4m3", {Kind::other, 1}},
      Row{"e5m2", {Kind::other, 1}},
      Row{"e4m3x2", {Kind::other, 2, 2}},
      Row{"e5m2x2", {Kind::other, 2, 2}},
      Row{"u16x2", {Kind::other, 4, 2}},
      Row{"s16x2", {Kind::other, 4, 2}},
      Row{"texref", {Kind::other, 8}},
      Row{"samplerref", {Kind::other, 8}},
      Row{"surfref", {Kind::other, 8}},
  };
  for (const Row& row : rows) {
    if (row.name == word) {
      return row.type;
    }
  }
  return {};
}

/// A space of addresses.
enum class Space : unsigned char { generic, constant, global, local, parameter, shared };

/// A space's name, for messages.
[[nodiscard]] constexpr const char* name_of(Space space) noexcept {
  switch (space) {
    case Space::generic:
      return "generic";
    case Space::constant:
      return "constant";
    case Space::global:
      return "global";
    case Space::local:
      return "local";
    case Space::parameter:
      return "parameter";
    case Space::shared:
      return "shared";
  }
  return "";
}

/// A line of the source. One that is in an inlined function has the place of the call.
struct Place {
  int file = 0;
  int line = 0;
  int column = 0;
  int caller = -1;  ///< index of another place, which is before this one; -1: none

  [[nodiscard]] bool operator==(const Place&) const = default;
};

/// A variable in memory, or a parameter.
struct Variable {
  std::string name = {};
  Space space = Space::generic;
  Type type = {};
  std::uint64_t bytes = 0;
  std::uint64_t alignment = 1;
  bool is_extern = false;
  bool is_array = false;
  Position position = {};
  std::vector<unsigned char> contents = {};  ///< empty: zeros
  struct Address {
    std::uint64_t offset;
    std::string name;  ///< of the variable whose address is there
    std::int64_t added;
  };
  std::vector<Address> addresses = {};
};

/// What an instruction is given, as it is written.
struct Operand {
  enum class Kind : unsigned char {
    sink,           ///< `_`
    number,         ///< `bits`
    name,           ///< not resolved: nothing but in a call
    reg,            ///< `index`: a register
    special,        ///< `index`: of `special_registers`
    variable,       ///< `index`: a variable of the function, or ~i for the module's i-th
    label,          ///< `index`: of a statement
    function,       ///< `name`
    list,           ///< `parts`: `{a, b}`
    pair,           ///< `parts`: `a|b`
    memory,         ///< `parts`: `[a + offset]`, `[a, {b, c}]`
    call_arguments  ///< `parts`: `(a, b)`
  };

  Kind kind = Kind::sink;
  bool is_negated = false;
  int index = -1;
  std::int64_t offset = 0;
  Number number = {};
  std::string name = {};
  std::vector<Operand> parts = {};
  Position position = {};
};

/// An instruction as it is written, with its names resolved.
struct Statement {
  Position position = {};
  int place = -1;  ///< in `Module::places`
  int scope = 0;   ///< of names, while the function is read
  int guard = -1;  ///< a register
  bool guard_is_negated = false;
  std::string opcode = {};  ///< with its modifiers
  std::vector<Operand> operands = {};

  /// The words behind the first one are a set: they stand in several orders.
  [[nodiscard]] bool has(std::string_view modifier) const noexcept {
    for (std::size_t dot = opcode.find('.'); dot != std::string::npos;) {
      const std::size_t end = opcode.find('.', dot + 1);
      if (std::string_view(opcode).substr(dot + 1, end == std::string::npos ? end : end - dot - 1) == modifier) {
        return true;
      }
      dot = end;
    }
    return false;
  }
  [[nodiscard]] std::vector<std::string_view> words() const {
    std::vector<std::string_view> words;
    for (std::size_t first = 0; first <= opcode.size();) {
      const std::size_t end = opcode.find('.', first);
      words.push_back(std::string_view(opcode).substr(first, end == std::string::npos ? end : end - first));
      first = end == std::string::npos ? opcode.size() + 1 : end + 1;
    }
    return words;
  }
  /// Its types, in their order.
  [[nodiscard]] std::vector<Type> types() const {
    std::vector<Type> types;
    for (const std::string_view word : words()) {
      if (const Type type = type_of(word); type.kind != Type::Kind::none) {
        types.push_back(type);
      }
    }
    return types;
  }
  [[nodiscard]] std::string_view name() const noexcept { return std::string_view(opcode).substr(0, opcode.find('.')); }
};

/// An entry, or a function that one calls.
struct Function {
  std::string name = {};
  bool is_entry = false;
  bool has_body = false;
  Position position = {};
  std::vector<Variable> parameters = {};
  std::vector<Variable> results = {};
  std::vector<Variable> variables = {};  ///< of all its blocks; parameters and results are the first
  std::vector<Type> registers = {};
  std::vector<Statement> statements = {};
  std::array<int, 3> cluster{0, 0, 0};  ///< CTAs that it names; zeros: none
  std::array<int, 3> threads{0, 0, 0};  ///< that it requires
  std::array<int, 3> most_threads{0, 0, 0};
};

/// A text of PTX.
struct Module {
  std::string version;
  std::string target;
  std::map<int, std::string> files;
  std::vector<Place> places;
  std::vector<Variable> variables;
  std::map<std::string, int> variable_of;
  std::vector<Function> functions;
  std::map<std::string, int> function_of;

  [[nodiscard]] const std::string& file_of(const Place& place) const {
    static const std::string unknown = "";
    const auto file = files.find(place.file);
    return file == files.end() ? unknown : file->second;
  }
};

}  // namespace dma::inline v0_1::proof::ptx::detail
