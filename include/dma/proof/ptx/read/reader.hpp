#pragma once

#include <dma/proof/ptx/module.hpp>
#include <dma/proof/ptx/read/body_reader.hpp>
#include <dma/proof/ptx/read/place_reader.hpp>
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

/// Reads a module: its directives, variables and functions.
///
/// Source  PTX ISA, "Directives" and "Abstracting the ABI"
class Reader {
 public:
  /// @param text  exists as long as the reader
  explicit Reader(std::string_view text) : tokens_(text), places_(tokens_, module_) {}

  /// @throw SyntaxError  the text is not understood, and where
  [[nodiscard]] Module read() {
    while (tokens_.now().kind != Token::Kind::end) {
      read_directive();
    }
    if (module_.version.empty()) {
      tokens_.reject("the text has no .version, and is no PTX");
    }
    return std::move(module_);
  }

 private:
  void read_directive() {
    const Token word = tokens_.take_word("a directive");
    const std::string_view name = word.text;
    if (name == ".version") {
      module_.version = tokens_.take().text;
    } else if (name == ".target") {
      module_.target = tokens_.take_word("a target").text;
      while (tokens_.takes(",")) {
        static_cast<void>(tokens_.take_word("a target"));
      }
    } else if (name == ".address_size") {
      if (tokens_.take_count("a size of addresses", 64) != 64) {
        throw SyntaxError("addresses of 32 bits are not understood", word.position);
      }
    } else if (name == ".file") {
      places_.read_file();
    } else if (name == ".loc") {
      static_cast<void>(places_.read_place());
    } else if (name == ".section") {
      skip_section();
    } else if (name == ".pragma" || name == ".alias") {
      skip_to_semicolon();
    } else if (name == ".visible" || name == ".weak" || name == ".common" || name == ".extern") {
      is_extern_ = is_extern_ || name == ".extern";
    } else if (name == ".entry" || name == ".func") {
      read_function(name == ".entry", word.position);
      is_extern_ = false;
    } else if (name == ".global" || name == ".const" || name == ".shared") {
      read_variables(name == ".global" ? Space::global : name == ".const" ? Space::constant : Space::shared);
      is_extern_ = false;
    } else {
      throw SyntaxError("the directive '" + std::string(name.substr(0, 40)) + "' is not known", word.position);
    }
  }
  void skip_to_semicolon() {
    while (!tokens_.takes(";")) {
      if (tokens_.take().kind == Token::Kind::end) {
        tokens_.reject("';' is missing");
      }
    }
  }
  void skip_section() {
    static_cast<void>(tokens_.take_word("the name of a section"));
    tokens_.expect("{");
    while (!tokens_.takes("}")) {
      if (tokens_.take().kind == Token::Kind::end) {
        tokens_.reject("'}' is missing");
      }
    }
  }
  void read_variables(Space space) {
    do {
      Variable variable = VariableReader(tokens_).read(space);
      variable.is_extern = is_extern_;
      bytes_of_variables_ += variable.bytes;
      if (bytes_of_variables_ > most_bytes) {
        throw SyntaxError("the variables of the module have more than " + std::to_string(most_bytes) + " bytes",
                          variable.position);
      }
      const auto [known, is_new] =
          module_.variable_of.try_emplace(variable.name, static_cast<int>(module_.variables.size()));
      if (is_new) {
        module_.variables.push_back(std::move(variable));
      } else if (Variable& earlier = module_.variables[static_cast<std::size_t>(known->second)]; earlier.is_extern) {
        earlier = std::move(variable);
      } else if (!variable.is_extern) {
        throw SyntaxError("'" + variable.name + "' is declared twice", variable.position);
      }
    } while (tokens_.takes(","));
    tokens_.expect(";");
  }

  void read_function(bool is_entry, Position position) {
    Function function{.is_entry = is_entry, .position = position};
    while (tokens_.now().is(".noreturn")) {
      tokens_.take();
    }
    if (tokens_.takes("(")) {
      read_parameters(function.results, function);
    }
    function.name = tokens_.take_word("the name of a function").text;
    if (tokens_.takes("(")) {
      read_parameters(function.parameters, function);
    }
    read_performance_directives(function);
    const auto [known, is_new] =
        module_.function_of.try_emplace(function.name, static_cast<int>(module_.functions.size()));
    const auto index = static_cast<std::size_t>(known->second);
    if (!is_new && module_.functions[index].has_body && tokens_.now().is("{")) {
      throw SyntaxError("the function " + function.name + " is there twice", function.position);
    }
    if (tokens_.takes("{")) {
      function.has_body = true;
      BodyReader(tokens_, module_, places_, function).read();
    } else {
      tokens_.expect(";");
    }
    if (is_new) {
      module_.functions.push_back(std::move(function));
    } else if (function.has_body) {
      module_.functions[index] = std::move(function);
    }
  }
  /// Behind the bracket: `.param .u64 a, .reg .b32 b)`.
  void read_parameters(std::vector<Variable>& parameters, Function& function) {
    while (!tokens_.takes(")")) {
      if (tokens_.takes(".reg")) {
        tokens_.reject("parameters in registers are not understood, in the function " + function.name);
      }
      tokens_.expect(".param");
      parameters.push_back(VariableReader(tokens_).read(Space::parameter));
      if (!tokens_.now().is(")")) {
        tokens_.expect(",");
      }
    }
  }
  void read_performance_directives(Function& function) {
    while (tokens_.now().kind == Token::Kind::word && tokens_.now().text[0] == '.') {
      const Token word = tokens_.take();
      if (word.text == ".maxntid" || word.text == ".reqntid" || word.text == ".reqnctapercluster") {
        auto& extents = word.text == ".maxntid"   ? function.most_threads
                        : word.text == ".reqntid" ? function.threads
                                                  : function.cluster;
        extents = {1, 1, 1};
        std::size_t axis = 0;
        do {
          extents[std::min<std::size_t>(axis++, 2)] = static_cast<int>(tokens_.take_count("an extent", 1 << 20));
        } while (tokens_.takes(","));
      } else if (word.text == ".minnctapersm" || word.text == ".maxnctapersm" || word.text == ".maxnreg" ||
                 word.text == ".maxclusterrank") {
        static_cast<void>(tokens_.take_count("a number", 1 << 20));
      } else if (word.text == ".pragma") {
        skip_to_semicolon();
      } else if (word.text == ".attribute") {
        while (!tokens_.takes(")")) {
          if (tokens_.take().kind == Token::Kind::end) {
            tokens_.reject("')' is missing");
          }
        }
      } else if (word.text != ".explicitcluster" && word.text != ".noreturn" && word.text != ".blocksareclusters" &&
                 word.text != ".abi_preserve" && word.text != ".abi_preserve_control") {
        throw SyntaxError("the directive '" + std::string(word.text.substr(0, 40)) + "' is not known before a body",
                          word.position);
      }
    }
  }

  static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 31;

  Module module_;
  std::uint64_t bytes_of_variables_ = 0;
  Tokens tokens_;
  PlaceReader places_;
  bool is_extern_ = false;
};

/// The module that a text is.
///
/// @throw SyntaxError  the text is not understood, and where
[[nodiscard]] inline Module read(std::string_view text) { return Reader(text).read(); }

}  // namespace dma::inline v0_1::proof::ptx::detail
