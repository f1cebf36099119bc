#pragma once

#include <dma/proof/ptx/launch/numbers.hpp>
#include <dma/proof/ptx/launch/shared_names.hpp>
#include <dma/proof/ptx/link.hpp>
#include <dma/proof/ptx/module.hpp>
#include <dma/proof/ptx/program.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace dma::inline v0_1::proof::ptx::detail {

/// The type of a parameter as a launch names it: `u64`, `f32`, `b8[128]`.
[[nodiscard]] inline std::string text_of(const Variable& variable) {
  std::string text = name_of(variable.type);
  if (variable.is_array) {
    text += '[' + std::to_string(variable.bytes / static_cast<std::uint64_t>(variable.type.bytes)) + ']';
  }
  return text;
}

/// Which instructions of an entry, and of what it calls, have an effect that is not understood, and which values are
/// not computed: each opcode with its count and its first line.
[[nodiscard]] inline std::string not_understood(const Module& module, const std::string& entry) {
  const std::vector<AlignedBytes> globals = place_globals(module);
  const Program program = Linker(module, "", globals).link(entry);
  std::map<std::string, std::pair<int, std::string>> found[2];
  for (const Code& code : program.codes) {
    for (const Instruction& instruction : code.instructions) {
      const bool is_value = instruction.kind == Instruction::Kind::value && instruction.compute == nullptr;
      if (is_value || instruction.kind == Instruction::Kind::not_understood) {
        auto& [count, line] = found[is_value ? 1 : 0][instruction.statement->opcode];
        line = count++ == 0 ? program.text_of(instruction) : line;
      }
    }
  }
  std::string text;
  for (const int is_value : {0, 1}) {
    if (!found[is_value].empty()) {
      text += is_value == 0 ? "  not understood:" : "  values that are not computed:";
      for (const auto& [opcode, uses] : found[is_value]) {
        text += ' ' + opcode + ' ' + std::to_string(uses.first) + " (" + uses.second + ')';
      }
      text += '\n';
    }
  }
  return text;
}

/// `1 x 2 x 3` in a line, behind a name; empty where the entry does not say it.
[[nodiscard]] inline std::string line_of_sizes(const char* name, const std::array<int, 3>& sizes) {
  return sizes[0] == 0 ? ""
                       : std::string("  ") + name + ' ' + std::to_string(sizes[0]) + " x " + std::to_string(sizes[1]) +
                             " x " + std::to_string(sizes[2]) + '\n';
}

/// What a module has: each entry with its parameters, its name in the source where the compiler gave it another, its
/// shared memory, how many instructions of which name, and what of them is not understood.
[[nodiscard]] inline std::string list_of(const Module& module) {
  std::string text;
  for (const Function& function : module.functions) {
    if (!function.is_entry || !function.has_body) {
      continue;
    }
    text += function.name + '(';
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      text += (i == 0 ? "" : ", ") + text_of(function.parameters[i]);
    }
    const std::string in_source = source_name(function.name);
    text += in_source == function.name ? ")\n" : ")\n  in the source " + in_source + '\n';
    text += line_of_sizes("threads", function.threads) + line_of_sizes("cluster", function.cluster);
    std::uint64_t shared = 0;
    bool is_dynamic = false;
    for (const Variable& variable : function.variables) {
      shared += variable.space == Space::shared ? variable.bytes : 0;
    }
    std::set<int> named;
    add_named(function, named);
    for (const int number : named) {
      const Variable& variable = module.variables[static_cast<std::size_t>(number)];
      if (variable.space == Space::shared) {
        shared += variable.bytes;
        is_dynamic = is_dynamic || variable.is_extern;
      }
    }
    text += "  shared memory " + std::to_string(shared) + " bytes" + (is_dynamic ? ", and what the launch gives" : "") +
            '\n';
    std::map<std::string, int> counts;
    for (const Statement& statement : function.statements) {
      ++counts[std::string(statement.name())];
    }
    text += "  " + std::to_string(function.statements.size()) + " instructions:";
    for (const auto& [name, count] : counts) {
      text += ' ' + name + ' ' + std::to_string(count);
    }
    text += '\n' + not_understood(module, function.name);
  }
  return text;
}

}  // namespace dma::inline v0_1::proof::ptx::detail
