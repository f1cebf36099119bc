#pragma once

#include <dma/host/emulation/pipeline_letters.hpp>
#include <dma/machine/site.hpp>

#include <dlfcn.h>

#include <charconv>
#include <cstddef>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

namespace dma::inline v0_1::host::detail {

/// "file:line", by what addr2line writes: the innermost of the functions inlined there that is neither this library's
/// nor the compiler's. Empty where there is none, or the program has no debug information (-g1).
[[nodiscard]] inline std::string place_by(const std::string& addr2line) {
  std::string found;
  if (std::FILE* const output = popen(addr2line.c_str(), "r")) {
    char text[1024];
    while (std::fgets(text, sizeof text, output) != nullptr) {
      const std::string_view frame(text);
      const bool is_ours = frame.find("/include/dma/") != std::string_view::npos;
      const bool is_compilers = frame.find("/c++/") != std::string_view::npos ||
                                frame.find("/lib/gcc/") != std::string_view::npos ||
                                frame.find("/lib/clang/") != std::string_view::npos;
      const bool is_known = frame[0] != '?' && frame.find(":?") == std::string_view::npos;
      if (found.empty() && !is_ours && !is_compilers && is_known) {
        found = frame.substr(0, frame.find_first_of(" \n"));
      }
    }
    pclose(output);
  }
  return found.substr(found.rfind('/') + 1);
}

/// Where an interpreter's statement is in the source, as "file:line", by the address that it reports its accesses with;
/// empty for an address that is none of its own. Null where no interpreter runs.
inline std::string (*line_of_statement)(const void* statement) = nullptr;

/// "file:line" of the instruction before an address; where that has no line, that of the call that the thread was in.
///
/// Cost    starts the program addr2line, once for each instruction: for messages alone
[[nodiscard]] inline std::string source_line(const void* behind_instruction, const machine::SourceLocation& caller) {
  if (line_of_statement != nullptr && behind_instruction != nullptr) {
    if (std::string statement = line_of_statement(behind_instruction); !statement.empty()) {
      return statement;
    }
  }
  Dl_info object{};
  if (behind_instruction == nullptr || dladdr(behind_instruction, &object) == 0) {
    return source_line(caller);
  }
  char address[24] = "";
  std::to_chars(address, address + sizeof address - 1,
                reinterpret_cast<std::size_t>(behind_instruction) - reinterpret_cast<std::size_t>(object.dli_fbase) - 1,
                16);
  const std::string command = std::string("addr2line -i -e '") + object.dli_fname + "' " + address + " 2>/dev/null";
  thread_local std::map<std::string, std::string> known;  // by the command
  const auto [place, is_new] = known.try_emplace(command);
  if (is_new) {
    place->second = place_by(place->first);
  }
  return place->second.empty() ? source_line(caller) : place->second;
}

/// The same in brackets, with a space before them; empty where no line is known.
[[nodiscard]] inline std::string line_of(const void* behind_instruction, const machine::SourceLocation& caller) {
  const std::string line = source_line(behind_instruction, caller);
  return line.empty() ? "" : " (" + line + ")";
}

/// Whether an address is of a shared library, as those of the C and C++ libraries, and not of the program's own.
[[nodiscard]] inline bool is_of_library(const void* place) {
  static const char of_program = 0;
  Dl_info object{};
  Dl_info program{};
  return dladdr(place, &object) != 0 && dladdr(&of_program, &program) != 0 && object.dli_fbase != program.dli_fbase;
}

}  // namespace dma::inline v0_1::host::detail
