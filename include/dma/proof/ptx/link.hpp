#pragma once

#include <dma/proof/ptx/decoder.hpp>
#include <dma/proof/ptx/program.hpp>
#include <dma/proof/ptx/rows.hpp>
#include <dma/proof/ptx/value_decoder.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// Memory for the module's constants and global variables, by their numbers, with their first values; empty for others.
[[nodiscard]] inline std::vector<AlignedBytes> place_globals(const Module& module) {
  std::vector<AlignedBytes> globals;
  for (const Variable& variable : module.variables) {
    const bool is_memory = variable.space == Space::global || variable.space == Space::constant;
    globals.emplace_back(is_memory ? static_cast<std::size_t>(variable.bytes) : 0,
                         static_cast<std::size_t>(std::max<std::uint64_t>(variable.alignment, 16)));
  }
  for (std::size_t i = 0; i < module.variables.size(); ++i) {
    const Variable& variable = module.variables[i];
    unsigned char* const to = globals[i].data();
    if (!variable.contents.empty() && globals[i].size() != 0) {
      std::memcpy(to, variable.contents.data(), variable.contents.size());
    }
    for (const Variable::Address& address : variable.addresses) {
      const auto named = module.variable_of.find(address.name);
      if (named != module.variable_of.end()) {
        const std::uint64_t place =
            reinterpret_cast<std::uintptr_t>(globals[static_cast<std::size_t>(named->second)].data()) +
            static_cast<std::uint64_t>(address.added);
        const std::uint64_t room = variable.bytes - address.offset;
        std::memcpy(to + address.offset, &place, static_cast<std::size_t>(std::min<std::uint64_t>(sizeof place, room)));
      }
    }
  }
  return globals;
}

/// Makes a program of an entry: finds what it calls, places variables and decodes the code.
class Linker {
 public:
  /// @param module     exists as long as the program, which points to it
  /// @param text_name  of the file with the PTX, for instructions without a line
  /// @param globals    of the module, which exist as long as the program
  Linker(const Module& module, const std::string& text_name, const std::vector<AlignedBytes>& globals) {
    program_.module = &module;
    program_.globals = &globals;
    program_.text_name = text_name;
  }

  /// @throw std::invalid_argument  the module has no such entry
  [[nodiscard]] Program link(const std::string& entry) {
    const Module& module = *program_.module;
    const auto found = module.function_of.find(entry);
    if (found == module.function_of.end() || !module.functions[static_cast<std::size_t>(found->second)].has_body) {
      throw std::invalid_argument("the module has no entry " + entry);
    }
    program_.entry = found->second;
    program_.codes.resize(module.functions.size());
    name_lines(program_);
    reach(program_.entry);
    find_variables();
    place_shared();
    for (const int function : reached_) {
      place_variables(function);
    }
    for (const int function : reached_) {
      Code& code = program_.codes[static_cast<std::size_t>(function)];
      code.instructions = Decoder(program_, code, rows.data(), rows.size()).decode();
      for (const Type& type : code.function->registers) {
        code.masks.push_back(type.bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * type.bytes)) - 1);
      }
    }
    return std::move(program_);
  }

 private:
  void reach(int function) {
    if (std::find(reached_.begin(), reached_.end(), function) != reached_.end()) {
      return;
    }
    const Function& reached = program_.module->functions[static_cast<std::size_t>(function)];
    if (!reached.has_body) {
      return;
    }
    reached_.push_back(function);
    program_.codes[static_cast<std::size_t>(function)].function = &reached;
    for (const Statement& statement : reached.statements) {
      for (const Operand& operand : statement.operands) {
        if (operand.kind == Operand::Kind::function) {
          reach(program_.module->function_of.at(operand.name));
        }
      }
    }
  }
  [[nodiscard]] static std::uint64_t align(std::uint64_t place, std::uint64_t alignment) {
    return (place + alignment - 1) / alignment * alignment;
  }
  [[nodiscard]] std::uint64_t take_shared(const Variable& variable) {
    const std::uint64_t place = align(program_.static_shared_bytes, std::max<std::uint64_t>(variable.alignment, 1));
    program_.static_shared_bytes = place + variable.bytes;
    return place;
  }
  /// What the code names, and what these variables have the addresses of.
  void find_variables() {
    const Module& module = *program_.module;
    std::set<int> open;
    for (const int function : reached_) {
      add_named(module.functions[static_cast<std::size_t>(function)], open);
    }
    while (!open.empty()) {
      const int number = *open.begin();
      open.erase(open.begin());
      if (program_.variables.insert(number).second) {
        for (const Variable::Address& address : module.variables[static_cast<std::size_t>(number)].addresses) {
          if (const auto named = module.variable_of.find(address.name); named != module.variable_of.end()) {
            open.insert(named->second);
          }
        }
      }
    }
  }
  /// Variables of the module that the code can reach; those that the launch sizes come last, at one place.
  void place_shared() {
    const Module& module = *program_.module;
    std::vector<int> dynamic;
    std::uint64_t alignment = 16;
    for (const int number : program_.variables) {
      const Variable& variable = module.variables[static_cast<std::size_t>(number)];
      if (variable.space == Space::shared && variable.is_extern) {
        dynamic.push_back(number);
        alignment = std::max(alignment, variable.alignment);
      } else if (variable.space == Space::shared) {
        program_.shared_places[number] = take_shared(variable);
      }
    }
    for (const int function : reached_) {
      Code& code = program_.codes[static_cast<std::size_t>(function)];
      for (const Variable& variable : code.function->variables) {
        code.places.push_back(variable.space == Space::shared
                                  ? Source{.kind = Source::Kind::shared, .bits = take_shared(variable)}
                                  : Source{});
      }
    }
    program_.static_shared_bytes = align(program_.static_shared_bytes, alignment);
    for (const int variable : dynamic) {
      program_.shared_places[variable] = program_.static_shared_bytes;
    }
  }
  void place_variables(int function) {
    Code& code = program_.codes[static_cast<std::size_t>(function)];
    const Function& source = *code.function;
    const std::size_t formals = source.results.size() + source.parameters.size();
    for (std::size_t i = 0; i < source.variables.size(); ++i) {
      const Variable& variable = source.variables[i];
      if (variable.space == Space::shared) {
        continue;
      }
      const bool is_of_entry = function == program_.entry && i >= source.results.size() && i < formals;
      std::uint64_t& end = is_of_entry ? program_.parameter_bytes : code.frame_bytes;
      end = align(end, std::max<std::uint64_t>(variable.alignment, 1));
      if (is_of_entry) {
        program_.parameter_places.push_back(end);
        code.places[i] = {.bits = parameter_window | end};
      } else {
        code.places[i] = {.kind = Source::Kind::frame, .bits = end};
      }
      end += variable.bytes;
    }
    code.frame_bytes = align(code.frame_bytes, 16);
  }

  Program program_;
  std::vector<int> reached_;
};

}  // namespace dma::inline v0_1::proof::ptx::detail
