#pragma once

#include <dma/machine/index3.hpp>
#include <dma/proof/ptx/module.hpp>
#include <dma/proof/ptx/read/tokens.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// An argument of a launch, as it is written.
struct LaunchArgument {
  enum class Kind : unsigned char { number, array, known_array, structure, map, bytes };

  Kind kind = Kind::number;
  std::string name = {};  ///< of an array; empty: none
  bool is_output = false;
  Type type = {};             ///< of an array's elements
  std::uint64_t count = 0;    ///< of them
  std::string contents = {};  ///< `zeros`, `random`, `iota`, or a file's name with `is_file`; of `bytes` they
  bool is_file = false;
  std::string number_text = {};  ///< as it is written
  Number number = {};            ///< an argument that is a number, or what fills the array where `contents` is empty
  /// Of a structure, whose numbers have a type; or the arrays whose addresses are in this one.
  std::vector<LaunchArgument> members = {};
  std::string type_name = {};               ///< of an array's elements, or of a structure's member
  std::optional<std::uint64_t> at = {};     ///< where in its structure a member is; none: behind the one before
  std::vector<LaunchArgument> mapped = {};  ///< of a tensor map: its array
  std::vector<std::uint64_t> extents = {};  ///< of that, the contiguous axis first
  std::vector<std::uint64_t> strides = {};  ///< in bytes, from the second axis on; empty: rows follow one another
  std::vector<std::uint64_t> box = {};
  int swizzle_bytes = 0;
};

/// A launch: `scale<<<8, 160>>>(x: f32[8192] = random, y: out f32[8192], 3.0f, 8)`.
struct LaunchLine {
  std::string entry = {};
  Index3 grid{1, 1, 1};
  Index3 block{1, 1, 1};
  std::uint64_t shared_bytes = 0;
  bool is_programmatic = false;  ///< its CTAs may begin before the launch before has ended
  Index3 cluster{1, 1, 1};       ///< CTAs
  std::uint64_t sms = 0;         ///< of the GPU, 0 where they are not said
  std::vector<LaunchArgument> arguments = {};
};

/// Reads launches, one after another.
///
///     kernel<<<grid, block[, bytes][, cluster n][, programmatic][, sms n]>>>(arguments)
///
/// A kernel of a template is `kernel`, where it has one entry, or `kernel<float, 4>`. A grid, a block and a cluster are
/// a number or `(x, y, z)`. An argument is a number, `{f32 1.0, s32 2, at 64: y}` for a structure, an array `name:
/// [out] type[count] [= zeros | random | iota | number | {arrays} | "file.npy"]`, or the name of an array of before; or
/// a tensor map of one of both, `map{array, extents (x, y), strides (bytes), box (x, y), swizzle 128}`.
class LaunchReader {
 public:
  explicit LaunchReader(std::string_view text) : tokens_(text, Tokens::Of::launches) {}

  /// @throw SyntaxError  what is wrong, and where
  [[nodiscard]] std::vector<LaunchLine> read() {
    std::vector<LaunchLine> lines;
    while (tokens_.now().kind != Token::Kind::end) {
      if (!tokens_.takes(";")) {
        lines.push_back(read_line());
      }
    }
    if (lines.empty()) {
      tokens_.reject("a launch is missing; give one as kernel<<<grid, block>>>(argument, ...)");
    }
    return lines;
  }

 private:
  static constexpr std::uint64_t most_elements = std::uint64_t{1} << 31;
  static constexpr std::uint64_t most_parameter_bytes = 32764;  ///< of all parameters of a kernel

  [[nodiscard]] LaunchLine read_line() {
    LaunchLine line{.entry = read_entry()};
    expect_signs("<<<");
    line.grid = read_extents("a grid", 0x7fffffff);
    tokens_.expect(",");
    line.block = read_extents("a number of threads", 1024);
    while (tokens_.takes(",")) {
      if (tokens_.takes("programmatic")) {
        line.is_programmatic = true;
      } else if (tokens_.takes("cluster")) {
        line.cluster = read_extents("a number of CTAs", 16);
      } else if (tokens_.takes("sms")) {
        line.sms = tokens_.take_count("a number of SMs", 1 << 20);
      } else {
        line.shared_bytes = tokens_.take_count("a number of bytes", 1 << 20);
      }
    }
    expect_signs(">>>");
    tokens_.expect("(");
    while (!tokens_.takes(")")) {
      line.arguments.push_back(read_argument());
      if (!tokens_.now().is(")")) {
        tokens_.expect(",");
      }
    }
    return line;
  }
  /// A name, and the arguments of a template: `lib::scale<float, 4>`.
  [[nodiscard]] std::string read_entry() {
    std::string name(tokens_.take_word("the name of an entry").text);
    while (tokens_.takes(":")) {
      tokens_.expect(":");
      name += "::" + std::string(tokens_.take_word("the name of an entry").text);
    }
    if (!tokens_.now().is("<") || tokens_.next().is("<")) {
      return name;
    }
    for (int depth = 0;;) {
      depth += tokens_.now().is("<") ? 1 : tokens_.now().is(">") ? -1 : 0;
      if (tokens_.now().kind == Token::Kind::end) {
        tokens_.expect(">");
      }
      const Token token = tokens_.take();
      name += token.text;
      if (depth == 0) {
        return name;
      }
      name += token.is(",") || (token.kind == Token::Kind::word && tokens_.now().kind == token.kind) ? " " : "";
    }
  }
  void expect_signs(std::string_view signs) {
    for (std::size_t i = 0; i < signs.size(); ++i) {
      tokens_.expect(signs.substr(i, 1));
    }
  }
  [[nodiscard]] Index3 read_extents(const char* what, std::uint64_t most) {
    if (!tokens_.takes("(")) {
      return {static_cast<int>(tokens_.take_count(what, most)), 1, 1};
    }
    Index3 extents{1, 1, 1};
    int* const axes[] = {&extents.x, &extents.y, &extents.z};
    std::size_t axis = 0;
    while (!tokens_.takes(")")) {
      if (axis == 3) {
        tokens_.reject("there are three axes at most; write (x, y, z)");
      }
      *axes[axis++] = static_cast<int>(tokens_.take_count(what, most));
      static_cast<void>(tokens_.takes(","));
    }
    return extents;
  }
  [[nodiscard]] LaunchArgument read_argument() {
    LaunchArgument argument;
    if (tokens_.now().kind == Token::Kind::word && tokens_.next().is(":")) {
      argument.name = tokens_.take().text;
      tokens_.take();
    }
    if (tokens_.now().is("map") && tokens_.next().is("{")) {
      return read_map();
    }
    if (tokens_.takes("{")) {
      argument.kind = LaunchArgument::Kind::structure;
      while (!tokens_.takes("}")) {
        argument.members.push_back(read_member());
        static_cast<void>(tokens_.takes(","));
      }
      return argument;
    }
    argument.is_output = tokens_.takes("out");
    if (tokens_.now().kind != Token::Kind::word) {
      read_number(argument);
      return argument;
    }
    if (argument.name.empty() && !is_type(tokens_.now().text) && !tokens_.next().is("[")) {
      argument.kind = LaunchArgument::Kind::known_array;
      argument.name = tokens_.take().text;
      if (tokens_.now().kind == Token::Kind::word) {
        tokens_.reject("':' is missing before " + Tokens::name_of(tokens_.now()) + "; write " + argument.name +
                       ": f32[1024]");
      }
      return argument;
    }
    argument.kind = LaunchArgument::Kind::array;
    read_type(argument);
    tokens_.expect("[");
    argument.count = tokens_.take_count("a number of elements", most_elements);
    tokens_.expect("]");
    argument.contents = "zeros";
    if (tokens_.takes("=")) {
      read_contents(argument);
    }
    return argument;
  }
  /// `f32 1.0`, or what an argument may be; `at 64:` before it says its place in bytes.
  [[nodiscard]] LaunchArgument read_member() {
    if (tokens_.now().is("at") && tokens_.next().kind == Token::Kind::number) {
      tokens_.take();
      const std::uint64_t at = tokens_.take_count("a place in bytes", most_parameter_bytes);
      tokens_.expect(":");
      LaunchArgument member = read_member();
      member.at = at;
      return member;
    }
    const bool is_number = tokens_.now().kind == Token::Kind::number || tokens_.now().is("-");
    if (is_number) {
      tokens_.reject("a number in a structure has no type before " + Tokens::name_of(tokens_.now()) +
                     "; write it as in {s32 1, f32 2.0}");
    }
    const bool has_type = tokens_.next().kind == Token::Kind::number || tokens_.next().is("-");
    if (!has_type) {
      return read_argument();
    }
    LaunchArgument member;
    read_type(member);
    read_number(member);
    return member;
  }
  [[nodiscard]] LaunchArgument read_map() {
    tokens_.take();
    tokens_.expect("{");
    LaunchArgument map{.kind = LaunchArgument::Kind::map};
    map.mapped.push_back(read_argument());
    while (tokens_.takes(",")) {
      if (tokens_.takes("swizzle")) {
        map.swizzle_bytes = static_cast<int>(tokens_.take_count("a swizzle", 128));
      } else if (tokens_.takes("extents")) {
        map.extents = read_axes("an extent", std::uint64_t{1} << 32);
      } else if (tokens_.takes("strides")) {
        map.strides = read_axes("a number of bytes", std::uint64_t{1} << 40);
      } else if (tokens_.takes("box")) {
        map.box = read_axes("a number of elements", 256);
      } else {
        tokens_.reject("extents, strides, box or swizzle is missing before " + Tokens::name_of(tokens_.now()) +
                       "; write map{a: f16[32768], extents (256, 128), box (64, 64)}");
      }
    }
    tokens_.expect("}");
    return map;
  }
  [[nodiscard]] std::vector<std::uint64_t> read_axes(const char* what, std::uint64_t most) {
    std::vector<std::uint64_t> axes;
    tokens_.expect("(");
    while (!tokens_.takes(")")) {
      axes.push_back(tokens_.take_count(what, most));
      static_cast<void>(tokens_.takes(","));
    }
    return axes;
  }
  void read_contents(LaunchArgument& argument) {
    if (tokens_.takes("{")) {
      while (!tokens_.takes("}")) {
        argument.members.push_back(read_argument());
        static_cast<void>(tokens_.takes(","));
      }
      return;
    }
    const Token token = tokens_.now();
    argument.is_file = token.kind == Token::Kind::text;
    if (argument.is_file) {
      argument.contents = token.text.substr(1, token.text.size() - 2);
      tokens_.take();
    } else if (token.is("zeros") || token.is("random") || token.is("iota")) {
      argument.contents = tokens_.take().text;
    } else if (token.kind == Token::Kind::number || token.is("-")) {
      argument.contents.clear();
      read_number(argument);
    } else {
      tokens_.reject("an array begins with no " + Tokens::name_of(token) +
                     "; write zeros, random, iota, a number, {arrays} or \"file.npy\"");
    }
  }
  /// Types of elements, and of numbers in a structure.
  [[nodiscard]] static bool is_type(std::string_view word) {
    static constexpr std::string_view types[] = {"e4m3", "e5m2", "f16", "bf16", "tf32", "f32", "f64",
                                                 "s8",   "s16",  "s32", "s64",  "u8",   "u16", "u32",
                                                 "u64",  "b8",   "b16", "b32",  "b64"};
    return std::find(std::begin(types), std::end(types), word) != std::end(types);
  }
  void read_type(LaunchArgument& argument) {
    const Token word = tokens_.take_word("a type");
    if (!is_type(word.text)) {
      throw SyntaxError("'" + std::string(word.text.substr(0, 40)) +
                            "' is no type; write one of e4m3, e5m2, f16, bf16, tf32, f32 (float), f64, s8 to s64 (an "
                            "int is s32), u8 to u64 and b8 to b64",
                        word.position);
    }
    argument.type_name = word.text;
    argument.type = type_of(word.text);
  }
  void read_number(LaunchArgument& argument) {
    const bool is_negative = tokens_.takes("-");
    if (tokens_.now().kind != Token::Kind::number) {
      tokens_.reject("an argument is missing before " + Tokens::name_of(tokens_.now()) +
                     "; write a number, {members}, or an array as name: f32[1024]");
    }
    argument.number_text = (is_negative ? "-" : "") + std::string(tokens_.now().text);
    Number& number = argument.number = tokens_.take().number;
    if (is_negative) {
      number.bits = number.is_double   ? number.bits ^ std::uint64_t{1} << 63
                    : number.is_single ? number.bits ^ 0x80000000U
                                       : std::uint64_t{0} - number.bits;
    }
  }

  Tokens tokens_;
};

}  // namespace dma::inline v0_1::proof::ptx::detail
