#pragma once

#include <dma/proof/ptx/launch/numbers.hpp>
#include <dma/proof/ptx/link.hpp>
#include <dma/proof/ptx/module.hpp>
#include <dma/proof/ptx/program.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
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

/// Writes which instructions of an entry, and of what it calls, have an effect that is not understood, and which values
/// are not computed: each opcode with its count and its first line.
inline void write_not_understood(std::ostream& out, const Module& module, const std::string& entry) {
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
  for (const int is_value : {0, 1}) {
    if (!found[is_value].empty()) {
      out << (is_value == 0 ? "  not understood:" : "  values that are not computed:");
      for (const auto& [opcode, uses] : found[is_value]) {
        out << ' ' << opcode << ' ' << uses.first << " (" << uses.second << ')';
      }
      out << '\n';
    }
  }
}

/// Writes what a module has: each entry with its parameters, its shared memory, how many instructions of which name,
/// and what of them is not understood.
inline void write_list(std::ostream& out, const Module& module) {
  for (const Function& function : module.functions) {
    if (!function.is_entry || !function.has_body) {
      continue;
    }
    out << function.name << '(';
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      out << (i == 0 ? "" : ", ") << text_of(function.parameters[i]);
    }
    out << ")\n";
    if (function.threads[0] != 0) {
      out << "  threads " << function.threads[0] << " x " << function.threads[1] << " x " << function.threads[2]
          << '\n';
    }
    if (function.cluster[0] != 0) {
      out << "  cluster " << function.cluster[0] << " x " << function.cluster[1] << " x " << function.cluster[2]
          << '\n';
    }
    std::uint64_t shared = 0;
    bool is_dynamic = false;
    for (const Variable& variable : function.variables) {
      shared += variable.space == Space::shared ? variable.bytes : 0;
    }
    for (std::size_t i = 0; i < module.variables.size(); ++i) {
      const Variable& variable = module.variables[i];
      if (variable.space == Space::shared && names(function, static_cast<int>(i))) {
        shared += variable.bytes;
        is_dynamic = is_dynamic || variable.is_extern;
      }
    }
    out << "  shared memory " << shared << " bytes" << (is_dynamic ? ", and what the launch gives" : "") << '\n';
    std::map<std::string, int> counts;
    for (const Statement& statement : function.statements) {
      ++counts[std::string(statement.name())];
    }
    out << "  " << function.statements.size() << " instructions:";
    for (const auto& [name, count] : counts) {
      out << ' ' << name << ' ' << count;
    }
    out << '\n';
    write_not_understood(out, module, function.name);
  }
}

}  // namespace dma::inline v0_1::proof::ptx::detail
