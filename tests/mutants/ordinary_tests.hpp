#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mutants {

/// The ordinary tests, compiled with the copies. The fault is in the environment.
class OrdinaryTests {
 public:
  /// @param folder  of the programs; without one nothing is found
  explicit OrdinaryTests(std::string folder) : folder_(std::move(folder)) {}

  /// The test case that fails with a fault and not without it, or the program where that ends early; empty where none
  /// does.
  ///
  /// @param test   a program, maybe with a space and the test cases to run
  /// @param first  the test case to try first, may be none of the program
  [[nodiscard]] std::string find(const std::string& test, int fault, const std::string& first) {
    if (test.empty() || folder_.empty()) {
      return "";
    }
    const std::size_t end = std::min(test.find(' '), test.size());
    const std::string program = test.substr(0, end);
    if (!first.empty() && failing(program, escaped(first), fault) && passes(program, escaped(first))) {
      return first;
    }
    const std::string which = end == test.size() ? "" : test.substr(end + 1);
    const std::optional<std::string> found = failing(program, which, fault);
    if (!found) {
      return "";
    }
    if (!passes(program, found->empty() ? which : escaped(*found))) {
      false_alarms_.push_back(found->empty() ? program : program + ": " + *found);
      return "";
    }
    return found->empty() ? program : *found;
  }
  /// The tests that found a fault and fail without it, since this was called last.
  [[nodiscard]] std::vector<std::string> take_false_alarms() { return std::exchange(false_alarms_, {}); }

 private:
  static constexpr int limit_seconds = 120;  ///< of CPU time, for a program

  /// The first test case that fails; an empty name where the program ends before it says one.
  [[nodiscard]] std::optional<std::string> failing(const std::string& program, const std::string& which,
                                                   int fault) const {
    const std::string command = "ulimit -t " + std::to_string(limit_seconds) + "; DMA_MUTANT=" + std::to_string(fault) +
                                " " + quoted(folder_ + "/mutants_" + program) + " " +
                                (which.empty() ? "" : quoted(which)) + " --abort --reporter automake 2>&1";
    std::FILE* const output = popen(command.c_str(), "r");
    if (output == nullptr) {
      std::perror("popen");
      std::exit(2);
    }
    const std::string mark = ":test-result: FAIL ";
    std::string found;
    std::string line;
    for (int c = 0; (c = std::fgetc(output)) != EOF;) {
      if (c != '\n') {
        line += static_cast<char>(c);
        continue;
      }
      if (found.empty() && line.rfind(mark, 0) == 0) {
        found = line.substr(mark.size());
      }
      line.clear();
    }
    return pclose(output) == 0 ? std::nullopt : std::optional(found);
  }
  [[nodiscard]] bool passes(const std::string& program, const std::string& which) {
    const auto [known, is_new] = passes_.try_emplace(program + ' ' + which, false);
    if (is_new) {
      known->second = !failing(program, which, 0);
    }
    return known->second;
  }
  /// As a command line of Catch2 has it.
  [[nodiscard]] static std::string escaped(const std::string& name) {
    std::string text;
    for (const char c : name) {
      text += c == ',' || c == '[' || c == '"' || c == '*' || c == '~' ? std::string("\\") + c : std::string(1, c);
    }
    return text;
  }
  /// As a shell has it.
  [[nodiscard]] static std::string quoted(const std::string& word) {
    std::string text = "'";
    for (const char c : word) {
      text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return text + "'";
  }

  std::string folder_;
  std::map<std::string, bool> passes_;  ///< without a fault, by program and test cases
  std::vector<std::string> false_alarms_;
};

}  // namespace mutants
