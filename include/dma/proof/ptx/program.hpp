#pragma once

#include <dma/proof/ptx/instruction.hpp>
#include <dma/proof/ptx/module.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <vector>

namespace dma::inline v0_1::proof::ptx::detail {

/// Where generic addresses of shared memory begin. No host has an address in this window or in the others.
inline constexpr std::uint64_t shared_window = std::uint64_t{1} << 56;
/// Where those of a thread's local memory begin.
inline constexpr std::uint64_t local_window = std::uint64_t{2} << 56;
/// Where those of the entry's parameters begin.
inline constexpr std::uint64_t parameter_window = std::uint64_t{3} << 56;
/// Where the shared memory of a CTA begins in the window: never at 0.
inline constexpr std::uint64_t first_shared = 1024;
/// Bit of an address of shared memory from which on the rank of its CTA in the cluster is.
inline constexpr int rank_shift = 24;

/// Bytes of a variable at an address that its alignment divides, zeros at first. It does not move. Memory is taken
/// where it is used.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  AlignedBytes(std::size_t bytes, std::size_t alignment)
      : bytes_(bytes), memory_(std::calloc(bytes + alignment, 1), &std::free) {
    if (memory_ == nullptr) {
      throw std::bad_alloc();
    }
    const auto at = reinterpret_cast<std::uintptr_t>(memory_.get());
    first_ = static_cast<unsigned char*>(memory_.get()) + (alignment - at % alignment) % alignment;
  }
  [[nodiscard]] unsigned char* data() const noexcept { return first_; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_; }

 private:
  std::size_t bytes_ = 0;
  std::unique_ptr<void, void (*)(void*)> memory_{nullptr, &std::free};
  unsigned char* first_ = nullptr;
};

/// An entry and all that it calls, decoded, with places for its variables.
struct Program {
  const Module* module = nullptr;
  int entry = -1;
  std::vector<Code> codes = {};  ///< of each function; those that are not called have no instructions
  std::set<int> variables = {};  ///< the module's, that the code can reach
  std::map<int, std::uint64_t> shared_places = {};  ///< of those in shared memory
  std::uint64_t static_shared_bytes = 0;
  std::vector<std::uint64_t> parameter_places = {};
  std::uint64_t parameter_bytes = 0;
  const std::vector<AlignedBytes>* globals = nullptr;  ///< the module's constants and global variables, by its numbers
  std::deque<std::string> files = {};                  ///< of messages, with the calls that were inlined
  struct Line {
    const char* file = "";
    int line = 0;
    int column = 0;
  };
  std::vector<Line> lines = {};  ///< of each place of the module
  std::string text_name = {};    ///< of the file with the PTX

  [[nodiscard]] const Code& entry_code() const { return codes[static_cast<std::size_t>(entry)]; }
  [[nodiscard]] Line line_of(const Instruction& instruction) const {
    if (instruction.place >= 0) {
      return lines[static_cast<std::size_t>(instruction.place)];
    }
    const Position at = instruction.statement == nullptr ? Position{0, 0} : instruction.statement->position;
    return {text_name.c_str(), at.line, at.column};
  }
  /// "kernel.cu:12", or "kernel.cu:12 > inlined.cuh:3".
  [[nodiscard]] std::string text_of(const Instruction& instruction) const {
    const Line line = line_of(instruction);
    return line.file + (':' + std::to_string(line.line));
  }
  /// The instruction at an address; null where there is none of this program.
  [[nodiscard]] const Instruction* instruction_at(const void* address) const {
    for (const Code& code : codes) {
      const auto offset =
          reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(code.instructions.data());
      if (offset < code.instructions.size() * sizeof(Instruction)) {
        return &code.instructions[offset / sizeof(Instruction)];
      }
    }
    return nullptr;
  }
};

/// Adds those of the module's variables that an operand, or a function, names, by their numbers.
inline void add_named(const Operand& operand, std::set<int>& variables) {
  if (operand.kind == Operand::Kind::variable && operand.index < 0) {
    variables.insert(~operand.index);
  }
  for (const Operand& part : operand.parts) {
    add_named(part, variables);
  }
}
inline void add_named(const Function& function, std::set<int>& variables) {
  for (const Statement& statement : function.statements) {
    for (const Operand& operand : statement.operands) {
      add_named(operand, variables);
    }
  }
}

/// Whether code asks for the memory of a cooperative grid.
[[nodiscard]] inline bool asks_for_grid_workspace(const Program& program) {
  const auto asks = [](const Source& source) {
    return source.kind == Source::Kind::special &&
           (source.index == static_cast<int>(Special::envreg1) || source.index == static_cast<int>(Special::envreg2));
  };
  return std::any_of(program.codes.begin(), program.codes.end(), [&](const Code& code) {
    return std::any_of(code.instructions.begin(), code.instructions.end(), [&](const Instruction& instruction) {
      return std::any_of(instruction.source.begin(), instruction.source.end(), asks);
    });
  });
}

/// The file of a place, behind the calls that were inlined: "kernel.cu:12 > inlined.cuh".
///
/// @param most  calls; of more the first two and the last are kept
[[nodiscard]] inline std::string file_with_calls(const Module& module, const Place& place, std::size_t most) {
  const auto base_of = [&](const Place& at) {
    const std::string& file = module.file_of(at);
    return file.substr(file.rfind('/') + 1);
  };
  std::vector<const Place*> calls;
  constexpr std::size_t most_calls = 1000;
  for (int caller = place.caller; caller >= 0 && calls.size() < most_calls; caller = calls.back()->caller) {
    calls.push_back(&module.places[static_cast<std::size_t>(caller)]);
  }
  std::string name;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Place& call = *calls[calls.size() - 1 - i];
    if (calls.size() <= most || i < 2 || i + 1 == calls.size()) {
      name += base_of(call) + ':' + std::to_string(call.line) + " > ";
    } else if (i == 2) {
      name += "... > ";
    }
  }
  return name + base_of(place);
}

/// Gives the places of a module their names.
inline void name_lines(Program& program) {
  for (const Place& place : program.module->places) {
    program.files.push_back(file_with_calls(*program.module, place, 3));
    program.lines.push_back({program.files.back().c_str(), place.line, place.column});
  }
}

}  // namespace dma::inline v0_1::proof::ptx::detail
