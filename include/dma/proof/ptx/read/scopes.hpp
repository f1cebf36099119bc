#pragma once

#include <dma/proof/ptx/module.hpp>
#include <dma/proof/ptx/special_registers.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// What the names of a function mean. Inner blocks have names of their own: one register, label or variable of a
/// function may have the name of another one.
class Scopes {
 public:
  explicit Scopes(const Module& module) : module_(module) { scopes_.push_back({}); }

  [[nodiscard]] int current() const noexcept { return current_; }
  [[nodiscard]] int depth() const noexcept { return depth_; }
  void open() {
    scopes_.push_back({.outer = current_});
    current_ = static_cast<int>(scopes_.size()) - 1;
    ++depth_;
  }
  void close() {
    current_ = scopes_[static_cast<std::size_t>(current_)].outer;
    --depth_;
  }
  /// Registers `name0`, `name1` and so on, from `first` on.
  void add_registers(const std::string& prefix, int first, int count) { here().numbered[prefix] = {first, count}; }
  /// False where the block has the name already.
  [[nodiscard]] bool add(const std::string& name, Operand::Kind kind, int index) {
    return here().names.try_emplace(name, Named{kind, index}).second;
  }

  /// Gives each name of an operand its meaning.
  ///
  /// @throw SyntaxError  it has none
  void resolve(Operand& operand, int scope, bool is_call) const {
    for (Operand& part : operand.parts) {
      resolve(part, scope, is_call);
    }
    if (operand.kind != Operand::Kind::name) {
      return;
    }
    const Named named = find(operand.name, scope);
    if (named.index != missing) {
      operand.kind = named.kind;
      operand.index = named.index;
    } else if (const int special = special_register(operand.name); special >= 0) {
      operand.kind = Operand::Kind::special;
      operand.index = special;
    } else if (const auto variable = module_.variable_of.find(operand.name); variable != module_.variable_of.end()) {
      operand.kind = Operand::Kind::variable;
      operand.index = ~variable->second;
    } else if (module_.function_of.contains(operand.name)) {
      operand.kind = Operand::Kind::function;
    } else if (!is_call) {
      throw SyntaxError("'" + operand.name.substr(0, 80) + "' is not declared", operand.position);
    }
  }

 private:
  static constexpr int missing = -0x7fffffff;
  struct Named {
    Operand::Kind kind = Operand::Kind::name;
    int index = missing;
  };
  struct Numbered {
    int first = 0;
    int count = 0;
  };
  struct Scope {
    int outer = -1;
    std::map<std::string, Named, std::less<>> names = {};
    std::map<std::string, Numbered, std::less<>> numbered = {};
  };

  [[nodiscard]] Scope& here() { return scopes_[static_cast<std::size_t>(current_)]; }
  [[nodiscard]] Named find(std::string_view name, int scope) const {
    std::size_t digits = name.size();
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') {
      --digits;
    }
    for (; scope >= 0; scope = scopes_[static_cast<std::size_t>(scope)].outer) {
      const Scope& here = scopes_[static_cast<std::size_t>(scope)];
      if (const auto named = here.names.find(name); named != here.names.end()) {
        return named->second;
      }
      // A prefix may end in digits itself: %r1<4> has %r10 to %r13.
      for (std::size_t end = digits; end < name.size() && end < digits + 9; ++end) {
        const auto numbered = here.numbered.find(name.substr(0, end));
        const std::string_view number = name.substr(end);
        if (numbered != here.numbered.end() && number.size() < 9 && (number.size() == 1 || number[0] != '0')) {
          const int index = std::stoi(std::string(number));
          if (index < numbered->second.count) {
            return {Operand::Kind::reg, numbered->second.first + index};
          }
        }
      }
    }
    return {};
  }

  const Module& module_;
  std::vector<Scope> scopes_;
  int current_ = 0;
  int depth_ = 0;
};

}  // namespace dma::inline v0_1::proof::ptx::detail
