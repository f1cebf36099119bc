#pragma once

#include "mutants/fault.hpp"

#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace mutants {

/// Which kernel or test found each fault first, when that was last written down. An order to try them in and never an
/// answer: where it is out of date, a run takes longer.
///
/// The file has a line for each finder and below it, indented, one for each of its faults.
class FirstFinders {
 public:
  FirstFinders() = default;
  explicit FirstFinders(const std::string& path) {
    std::ifstream file(path);
    std::string finder;
    for (std::string line; std::getline(file, line);) {
      if (line.rfind(indent, 0) == 0) {
        of_fault_[line.substr(indent.size())] = finder;
      } else {
        finder = line;
      }
    }
  }

  /// The finder of a fault; empty where none is known.
  [[nodiscard]] std::string of(const std::string& fault) const {
    const auto known = of_fault_.find(fault);
    return known == of_fault_.end() ? "" : known->second;
  }
  void note(const std::string& fault, const std::string& finder) { of_fault_[fault] = finder; }

  /// Those of the faults that there are.
  void write(const std::string& path, const Faults& faults) const {
    std::map<std::string, std::vector<std::string>> of_finder;
    for (const Fault& fault : faults) {
      if (const std::string finder = of(fault.name); !finder.empty()) {
        of_finder[finder].push_back(fault.name);
      }
    }
    std::ofstream file(path);
    file << "# An order to try kernels and tests in, written by the target mutants_first_finders.\n";
    for (const auto& [finder, found] : of_finder) {
      file << finder << '\n';
      for (const std::string& fault : found) {
        file << indent << fault << '\n';
      }
    }
    if (!file.flush()) {
      std::perror(path.c_str());
    }
  }

 private:
  inline static const std::string indent = "  ";

  std::map<std::string, std::string> of_fault_;
};

}  // namespace mutants
