#pragma once

#include <dma/proof/ptx/module.hpp>
#include <dma/proof/ptx/read/place_reader.hpp>
#include <dma/proof/ptx/read/scopes.hpp>
#include <dma/proof/ptx/read/tokens.hpp>
#include <dma/proof/ptx/read/variable_reader.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// Reads the body of a function: declarations, labels, blocks and instructions.
class BodyReader {
 public:
  BodyReader(Tokens& tokens, Module& module, PlaceReader& places, Function& function)
      : tokens_(tokens), places_(places), function_(function), scopes_(module) {
    for (const auto* const list : {&function.results, &function.parameters}) {
      for (const Variable& parameter : *list) {
        declare(parameter);
      }
    }
  }

  /// Behind the opening bracket, up to the closing one.
  void read() {
    while (true) {
      if (tokens_.takes("}")) {
        if (scopes_.depth() == 0) {
          break;
        }
        scopes_.close();
      } else if (tokens_.takes("{")) {
        if (scopes_.depth() > most_depth) {
          tokens_.reject("blocks are nested too deep");
        }
        scopes_.open();
      } else if (!tokens_.takes(";")) {
        read_line();
      }
    }
    resolve();
  }

 private:
  static constexpr int most_depth = 1000;
  static constexpr int most_operand_depth = 6;
  static constexpr std::uint64_t most_registers = 1 << 20;

  void read_line() {
    const Token word = tokens_.now();
    if (word.is("@")) {
      return read_statement();
    }
    if (word.kind != Token::Kind::word) {
      tokens_.reject(word.kind == Token::Kind::end ? "the body of " + function_.name + " has no end"
                                                   : "an instruction cannot begin with " + Tokens::name_of(word));
    }
    if (tokens_.next().is(":")) {
      tokens_.take();
      tokens_.take();
      if (tokens_.now().is(".callprototype") || tokens_.now().is(".branchtargets") ||
          tokens_.now().is(".calltargets")) {
        return skip_declaration(std::string(word.text));
      }
      const auto at = static_cast<int>(function_.statements.size());
      if (!scopes_.add(std::string(word.text), Operand::Kind::label, at)) {
        throw SyntaxError("the label '" + std::string(word.text) + "' is there twice", word.position);
      }
    } else if (word.text[0] == '.') {
      read_directive();
    } else {
      read_statement();
    }
  }
  void read_directive() {
    const Token word = tokens_.take();
    if (word.text == ".loc") {
      place_ = places_.read_place();
    } else if (word.text == ".file") {
      places_.read_file();
    } else if (word.text == ".reg") {
      read_registers();
    } else if (word.text == ".local") {
      read_variables(Space::local);
    } else if (word.text == ".shared") {
      read_variables(Space::shared);
    } else if (word.text == ".param") {
      read_variables(Space::parameter);
    } else if (word.text == ".global") {
      read_variables(Space::global);
    } else if (word.text == ".const") {
      read_variables(Space::constant);
    } else if (word.text == ".pragma") {
      skip_to_semicolon();
    } else {
      throw SyntaxError("the directive '" + std::string(word.text.substr(0, 40)) + "' is not known in a body",
                        word.position);
    }
  }
  void skip_to_semicolon() {
    while (!tokens_.takes(";")) {
      if (tokens_.now().kind == Token::Kind::end || tokens_.now().is("}")) {
        tokens_.reject("';' is missing before " + Tokens::name_of(tokens_.now()));
      }
      tokens_.take();
    }
  }
  /// Its name is known then; an instruction that uses it is not understood.
  void skip_declaration(const std::string& name) {
    static_cast<void>(scopes_.add(name, Operand::Kind::label, static_cast<int>(function_.statements.size())));
    skip_to_semicolon();
  }
  void read_registers() {
    Type type;
    int values = 1;
    while (tokens_.now().kind == Token::Kind::word && tokens_.now().text[0] == '.') {
      const Token word = tokens_.take();
      if (word.text == ".v2" || word.text == ".v4") {
        values = word.text[2] - '0';
        continue;
      }
      type = type_of(word.text.substr(1));
      if (type.kind == Type::Kind::none) {
        throw SyntaxError("'" + std::string(word.text) + "' is no type of a register", word.position);
      }
    }
    if (type.kind == Type::Kind::none || values != 1) {
      tokens_.reject(values != 1 ? "registers of several values are not understood"
                                 : "the type of a register is missing");
    }
    do {
      const std::string name(tokens_.take_word("the name of a register").text);
      const auto first = static_cast<int>(function_.registers.size());
      std::uint64_t count = 1;
      if (tokens_.takes("<")) {
        count = tokens_.take_count("a number of registers", most_registers);
        tokens_.expect(">");
        scopes_.add_registers(name, first, static_cast<int>(count));
      } else if (!scopes_.add(name, Operand::Kind::reg, first)) {
        tokens_.reject("the register '" + name + "' is declared twice");
      }
      if (function_.registers.size() + count > most_registers) {
        tokens_.reject("the function " + function_.name + " has too many registers");
      }
      function_.registers.resize(function_.registers.size() + static_cast<std::size_t>(count), type);
    } while (tokens_.takes(","));
    tokens_.expect(";");
  }
  void read_variables(Space space) {
    do {
      declare(VariableReader(tokens_).read(space));
    } while (tokens_.takes(","));
    tokens_.expect(";");
  }
  void declare(const Variable& variable) {
    const auto index = static_cast<int>(function_.variables.size());
    if (!scopes_.add(variable.name, Operand::Kind::variable, index)) {
      throw SyntaxError("'" + variable.name + "' is declared twice", variable.position);
    }
    function_.variables.push_back(variable);
  }

  void read_statement() {
    Statement statement{.place = place_, .scope = scopes_.current()};
    if (tokens_.takes("@")) {
      statement.guard_is_negated = tokens_.takes("!");
      guards_.push_back(
          {function_.statements.size(), {.kind = Operand::Kind::name, .position = tokens_.now().position}});
      guards_.back().second.name = tokens_.take_word("a predicate").text;
    }
    statement.position = tokens_.now().position;
    statement.opcode = tokens_.take_word("an instruction").text;
    if (statement.opcode[0] == '.' || statement.opcode[0] == '%') {
      throw SyntaxError("'" + statement.opcode.substr(0, 40) + "' is no instruction", statement.position);
    }
    expect_words_of_access(statement);
    while (!tokens_.now().is(";")) {
      statement.operands.push_back(read_operand(0));
      if (!tokens_.now().is(";")) {
        tokens_.expect(",");
      }
    }
    tokens_.take();
    function_.statements.push_back(std::move(statement));
  }
  /// A state space that is misspelt would be taken for the generic one.
  static void expect_words_of_access(const Statement& statement) {
    static constexpr std::array<std::string_view, 32> known{"acquire",
                                                            "async",
                                                            "bulk",
                                                            "ca",
                                                            "cg",
                                                            "cluster",
                                                            "const",
                                                            "cs",
                                                            "cta",
                                                            "cv",
                                                            "global",
                                                            "gpu",
                                                            "lastuse",
                                                            "local",
                                                            "lu",
                                                            "mbarrier::complete_tx::bytes",
                                                            "mmio",
                                                            "nc",
                                                            "param",
                                                            "param::entry",
                                                            "param::func",
                                                            "relaxed",
                                                            "release",
                                                            "shared",
                                                            "shared::cluster",
                                                            "shared::cta",
                                                            "sys",
                                                            "unified",
                                                            "volatile",
                                                            "wb",
                                                            "weak",
                                                            "wt"};
    if (const std::string_view name = statement.name(); name != "ld" && name != "st" && name != "ldu") {
      return;
    }
    std::size_t at = 0;
    for (const std::string_view word : statement.words()) {
      const bool has_number = word.size() > 1 && word[1] >= '0' && word[1] <= '9';  // .b32, .v4, .L1::no_allocate
      if (at != 0 && !has_number && std::find(known.begin(), known.end(), word) == known.end()) {
        const Position place{statement.position.line, statement.position.column + static_cast<int>(at)};
        throw SyntaxError("'." + std::string(word.substr(0, 40)) + "' is no word of " + std::string(statement.name()) +
                              "; write .global, .shared or another",
                          place);
      }
      at += word.size() + 1;
    }
  }
  [[nodiscard]] Operand read_operand(int depth) {
    if (depth > most_operand_depth) {
      tokens_.reject("an operand is nested too deep");
    }
    Operand operand{.position = tokens_.now().position};
    if (tokens_.takes("{")) {
      operand.kind = Operand::Kind::list;
      read_parts(operand, "}", depth);
    } else if (tokens_.takes("(")) {
      operand.kind = Operand::Kind::call_arguments;
      read_parts(operand, ")", depth);
    } else if (tokens_.takes("[")) {
      operand.kind = Operand::Kind::memory;
      read_parts(operand, "]", depth);
    } else {
      read_value(operand);
    }
    if (tokens_.takes("|")) {
      Operand pair{.kind = Operand::Kind::pair, .position = operand.position};
      pair.parts.push_back(std::move(operand));
      pair.parts.push_back(read_operand(depth + 1));
      return pair;
    }
    return operand;
  }
  void read_parts(Operand& operand, const char* end, int depth) {
    while (!tokens_.takes(end)) {
      operand.parts.push_back(read_operand(depth + 1));
      if (!tokens_.now().is(end)) {
        tokens_.expect(",");
      }
    }
  }
  /// `%r1`, `!%p1`, `-4`, `name+8`, `0f00000000`, `_`.
  void read_value(Operand& operand) {
    operand.is_negated = tokens_.takes("!");
    const bool is_negative = tokens_.takes("-");
    const Token token = tokens_.now();
    if (token.kind == Token::Kind::number) {
      tokens_.take();
      operand.kind = Operand::Kind::number;
      operand.number = token.number;
      if (is_negative) {
        const std::uint64_t sign = std::uint64_t{1} << (token.number.is_single ? 31 : 63);
        operand.number.bits = token.number.is_single || token.number.is_double ? token.number.bits ^ sign
                                                                               : std::uint64_t{0} - token.number.bits;
      }
    } else if (token.is("_") && !is_negative) {
      tokens_.take();
    } else if (token.kind == Token::Kind::word && token.text[0] != '.' && !is_negative) {
      tokens_.take();
      operand.kind = Operand::Kind::name;
      operand.name = token.text;
    } else {
      tokens_.reject("an operand is missing before " + Tokens::name_of(token));
    }
    while (tokens_.now().is("+") || tokens_.now().is("-")) {
      const bool adds = tokens_.take().is("+");
      const bool is_minus = tokens_.takes("-");
      const auto offset = static_cast<std::int64_t>(tokens_.take_count("an offset", INT64_MAX));
      operand.offset =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(operand.offset) +
                                    (adds != is_minus ? 1U : ~std::uint64_t{0}) * static_cast<std::uint64_t>(offset));
    }
  }

  /// Labels may be used before they are there, so names are resolved at the end.
  void resolve() {
    for (Statement& statement : function_.statements) {
      const bool is_call = statement.name() == "call";
      for (Operand& operand : statement.operands) {
        scopes_.resolve(operand, statement.scope, is_call);
      }
    }
    for (auto& [index, guard] : guards_) {
      Statement& statement = function_.statements[index];
      scopes_.resolve(guard, statement.scope, false);
      if (guard.kind != Operand::Kind::reg ||
          function_.registers[static_cast<std::size_t>(guard.index)].kind != Type::Kind::predicate) {
        throw SyntaxError("'" + guard.name + "' is no predicate", guard.position);
      }
      statement.guard = guard.index;
    }
  }

  Tokens& tokens_;
  PlaceReader& places_;
  Function& function_;
  Scopes scopes_;
  int place_ = -1;
  std::vector<std::pair<std::size_t, Operand>> guards_;  ///< by the statement
};

}  // namespace dma::inline v0_1::proof::ptx::detail
