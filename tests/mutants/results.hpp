#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace mutants {

/// Lines that a run wrote down, so that one that was interrupted goes on where it was.
class Results {
 public:
  Results() = default;
  /// Begins anew where the file is of other programs, or of a run that came to its end.
  ///
  /// @param path      of the file
  /// @param programs  what the results are of: a folder of programs
  Results(const std::string& path, const std::string& programs) : path_(path), head_(head_of(programs)) {
    std::ifstream file(path);
    std::string line;
    bool goes_on = static_cast<bool>(std::getline(file, line)) && line == head_;
    while (goes_on && std::getline(file, line) && !file.eof()) {  // at the end is a line that was not written whole
      before_.push_back(line);
      goes_on = line != ended;
    }
    file.close();
    if (!goes_on) {
      before_.clear();
    }
    std::ofstream anew(path);
    anew << head_ << '\n';
    for (const std::string& kept : before_) {
      anew << kept << '\n';
    }
  }

  /// Those of the run that this one continues.
  [[nodiscard]] const std::vector<std::string>& before() const { return before_; }
  void add(const std::string& line) const {
    if (!path_.empty()) {
      std::ofstream(path_, std::ios::app) << line << '\n';
    }
  }
  void end() const { add(ended); }

 private:
  static constexpr const char* ended = "ended";

  /// Changes when a program is built again.
  static std::string head_of(const std::string& programs) {
    namespace fs = std::filesystem;
    auto newest = fs::file_time_type::min();
    int number = 0;
    for (const auto& entry : fs::directory_iterator(programs)) {
      const std::string name = entry.path().filename().string();
      if (entry.is_regular_file() && (name.rfind("mutants_", 0) == 0 || name == "dma_run_mutants")) {
        newest = std::max(newest, entry.last_write_time());
        ++number;
      }
    }
    return "results of " + std::to_string(number) + " programs, the newest of " +
           std::to_string(newest.time_since_epoch().count());
  }

  std::string path_;
  std::string head_;
  std::vector<std::string> before_;
};

}  // namespace mutants
