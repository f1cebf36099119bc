#pragma once

#include <dma/proof/ptx/module.hpp>
#include <dma/proof/ptx/read/tokens.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

namespace dma::inline v0_1::proof::ptx::detail {

/// Reads declarations of variables and of parameters, behind the word of their space.
class VariableReader {
 public:
  explicit VariableReader(Tokens& tokens) : tokens_(tokens) {}

  /// `[.align n] [.ptr ...] [.v2] .type name[extents] [= contents]`, without what ends it.
  [[nodiscard]] Variable read(Space space) {
    Variable variable{.space = space};
    int values = 1;
    bool is_aligned = false;
    while (tokens_.now().kind == Token::Kind::word && tokens_.now().text[0] == '.') {
      const std::string_view word = tokens_.now().text.substr(1);
      if (const Type type = type_of(word); type.kind != Type::Kind::none) {
        tokens_.take();
        variable.type = type;
      } else if (word == "align") {
        tokens_.take();
        // Of what a pointer points to, where the type is known.
        const std::uint64_t alignment = tokens_.take_count("an alignment", most_alignment);
        if (!std::has_single_bit(alignment)) {
          tokens_.reject("an alignment is no power of two, before " + Tokens::name_of(tokens_.now()));
        }
        if (variable.type.kind == Type::Kind::none) {
          variable.alignment = alignment;
          is_aligned = true;
        }
      } else if (word == "v2" || word == "v4" || word == "v8") {
        tokens_.take();
        values = word[1] - '0';
      } else if (word.starts_with("attribute")) {
        skip_attribute();
      } else {
        tokens_.take();  // .ptr, .global, .managed and others, which say nothing of the bytes.
      }
    }
    if (variable.type.kind == Type::Kind::none || variable.type.bytes == 0) {
      tokens_.reject("the type of a variable is missing before " + Tokens::name_of(tokens_.now()));
    }
    variable.position = tokens_.now().position;
    variable.name = tokens_.take_word("the name of a variable").text;
    variable.bytes = static_cast<std::uint64_t>(variable.type.bytes * values);
    if (!is_aligned) {
      variable.alignment = variable.bytes;
    }
    read_extents(variable);
    if (tokens_.takes("=")) {
      read_contents(variable);
    }
    return variable;
  }

 private:
  static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 31;
  static constexpr std::uint64_t most_alignment = 1 << 20;

  void skip_attribute() {
    tokens_.take();
    tokens_.expect("(");
    while (!tokens_.takes(")")) {
      if (tokens_.take().kind == Token::Kind::end) {
        tokens_.reject("')' is missing");
      }
    }
  }
  void read_extents(Variable& variable) {
    while (tokens_.takes("[")) {
      variable.is_array = true;
      if (tokens_.takes("]")) {
        variable.bytes = 0;  // As many as the initializer has, or as the launch gives.
        continue;
      }
      const std::uint64_t extent = tokens_.take_count("an extent", most_bytes);
      if (extent != 0 && variable.bytes > most_bytes / extent) {
        tokens_.reject("the variable " + variable.name + " has too many bytes");
      }
      variable.bytes *= extent;
      tokens_.expect("]");
    }
  }
  void read_contents(Variable& variable) {
    if (tokens_.takes("{")) {
      read_list(variable, 1);
    } else {
      read_value(variable);
    }
    if (variable.bytes == 0) {
      variable.bytes = variable.contents.size();
    }
    if (variable.contents.size() > variable.bytes) {
      tokens_.reject("the variable " + variable.name + " has more values than bytes");
    }
  }
  void read_list(Variable& variable, int depth) {
    if (depth > 16) {
      tokens_.reject("the values of " + variable.name + " are nested too deep");
    }
    while (!tokens_.takes("}")) {
      if (tokens_.takes("{")) {
        read_list(variable, depth + 1);
      } else {
        read_value(variable);
      }
      if (!tokens_.now().is("}")) {
        tokens_.expect(",");
      }
    }
  }
  /// A number, or the address of a variable: `name`, `generic(name)`, `name+8`.
  void read_value(Variable& variable) {
    const auto bytes = static_cast<std::size_t>(variable.type.bytes);
    const bool is_negative = tokens_.takes("-");
    if (tokens_.now().kind == Token::Kind::number) {
      const Number number = tokens_.take().number;
      std::uint64_t bits = number.bits;
      if (number.is_double && bytes == 4) {
        bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
      }
      const std::uint64_t sign = std::uint64_t{1} << (number.is_double && bytes == 8 ? 63 : 31);
      bits = !is_negative ? bits : number.is_double || number.is_single ? bits ^ sign : std::uint64_t{0} - bits;
      append(variable, bits, bytes);
      return;
    }
    const bool is_generic = tokens_.takes("generic");
    if (is_generic) {
      tokens_.expect("(");
    }
    Variable::Address address{variable.contents.size(), std::string(tokens_.take_word("a value").text), 0};
    if (is_generic) {
      tokens_.expect(")");
    }
    if (tokens_.takes("+")) {
      address.added = static_cast<std::int64_t>(tokens_.take_count("an offset", most_bytes));
    }
    variable.addresses.push_back(std::move(address));
    append(variable, 0, bytes);
  }
  static void append(Variable& variable, std::uint64_t bits, std::size_t bytes) {
    const std::size_t first = variable.contents.size();
    variable.contents.resize(first + bytes);
    std::memcpy(variable.contents.data() + first, &bits, std::min<std::size_t>(bytes, sizeof bits));
  }

  Tokens& tokens_;
};

}  // namespace dma::inline v0_1::proof::ptx::detail
