// Copies the library and the examples, with a switch at each place that a fault changes.
//
//     write_sources <source folder> <target folder>    writes <target>/include, /examples and /applications
//     write_sources <source folder>                    only checks that each place is found and no file left out

#include "mutants/all_faults.hpp"
#include "mutants/files_without_faults.hpp"
#include "mutants/switch.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using mutants::Edit;

/// A change of one file by the fault of this number.
struct Numbered {
  int fault;
  std::size_t first;
  std::size_t length;
  std::string faulty;
};

std::string read(const fs::path& path) {
  const std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw std::runtime_error("mutants: there is no file " + path.string());
  }
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::size_t find_once(const std::string& text, const std::string& part, const Edit& edit) {
  const std::size_t place = text.find(part);
  if (place == std::string::npos || text.find(part, place + 1) != std::string::npos) {
    throw std::runtime_error(std::string("mutants: '") + part + "' is in " + edit.file +
                             (place == std::string::npos ? " no more" : " more than once"));
  }
  return place;
}

std::size_t place_of(const std::string& text, const Edit& edit) {
  const std::string after = edit.after;
  if (after.empty()) {
    return find_once(text, edit.right, edit);
  }
  const std::size_t begin = find_once(text, after, edit) + after.size();
  const std::size_t place = text.find(edit.right, begin);
  if (place == std::string::npos) {
    throw std::runtime_error(std::string("mutants: '") + edit.right + "' is not behind '" + after + "' in " +
                             edit.file);
  }
  return place;
}

/// The right code, and in its place the faulty code of whichever fault is switched on.
std::string switched(const std::string& right, const std::vector<const Numbered*>& faults) {
  const bool is_statement = right.back() == ';' || right.back() == '}';
  std::string text = is_statement ? "" : "(";
  for (const Numbered* fault : faults) {
    const std::string condition = "::mutants::is_on(" + std::to_string(fault->fault) + ")";
    text += is_statement ? "if (" + condition + ") { " + fault->faulty + " } else "
                         : condition + " ? (" + fault->faulty + ") : ";
  }
  return text + (is_statement ? "{ " + right + " }" : "(" + right + "))");
}

std::string with_switches(std::string text, std::vector<Numbered> edits, const std::string& file) {
  std::stable_sort(edits.begin(), edits.end(),
                   [](const Numbered& left, const Numbered& right) { return left.first > right.first; });
  std::size_t end = text.size();
  for (std::size_t i = 0; i < edits.size();) {
    std::vector<const Numbered*> here;
    const Numbered& edit = edits[i];
    for (; i < edits.size() && edits[i].first == edit.first; ++i) {
      if (edits[i].length != edit.length) {
        throw std::runtime_error("mutants: faults " + std::to_string(edit.fault) + " and " +
                                 std::to_string(edits[i].fault) + " change different parts of one place in " + file);
      }
      here.push_back(&edits[i]);
    }
    if (edit.first + edit.length > end) {
      throw std::runtime_error("mutants: fault " + std::to_string(edit.fault) + " overlaps another in " + file);
    }
    end = edit.first;
    text.replace(edit.first, edit.length, switched(text.substr(edit.first, edit.length), here));
  }
  const std::string pragma = "#pragma once\n";
  return text.replace(text.find(pragma), pragma.size(), pragma + "#include \"mutants/switch.hpp\"\n");
}

fs::path path_of(const std::string& file) {
  const bool is_of_a_program = file.rfind("examples/", 0) == 0 || file.rfind("applications/", 0) == 0;
  return is_of_a_program ? fs::path(file) : fs::path("include/dma") / file;
}

/// Written only where it changes, so that nothing is compiled again for the same text.
void write(const fs::path& path, const std::string& text) {
  if (fs::exists(path) && read(path) == text) {
    return;
  }
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

/// Throws where a header of the library has no faults and is on no list, or has some and is on it.
void expect_all_files(const fs::path& source, const std::map<std::string, std::vector<Numbered>>& edits) {
  std::map<std::string, bool> without;
  for (const mutants::FileWithoutFaults& listed : mutants::files_without_faults) {
    without[listed.file] = true;
  }
  std::string wrong;
  for (const char* folder : mutants::folders_with_faults) {
    for (const auto& entry : fs::recursive_directory_iterator(source / "include/dma" / folder)) {
      const std::string file = fs::relative(entry.path(), source / "include/dma").generic_string();
      if (entry.is_regular_file() && (edits.count(file) != 0) == (without.count(file) != 0)) {
        wrong += (wrong.empty() ? "" : ", ") + file;
      }
    }
  }
  if (!wrong.empty()) {
    throw std::runtime_error("mutants: these files have no faults and are not in files_without_faults.hpp, or both: " +
                             wrong);
  }
}

void run(const fs::path& source, const fs::path& target) {
  std::map<std::string, std::vector<Numbered>> edits;
  const mutants::Faults faults = mutants::all_faults();
  if (faults.size() >= mutants::most_faults) {
    throw std::runtime_error("mutants: there are " + std::to_string(faults.size()) +
                             " faults, which are numbered from 1 on to below most_faults of switch.hpp; raise it");
  }
  bool is_found = true;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    for (const Edit& edit : faults[i].edits) {
      try {
        const std::string text = read(source / path_of(edit.file));
        edits[edit.file].push_back(
            {static_cast<int>(i) + 1, place_of(text, edit), std::string(edit.right).size(), edit.faulty});
      } catch (const std::exception& error) {
        std::cerr << "fault " << i + 1 << ", " << faults[i].name << ": " << error.what() << '\n';
        is_found = false;
      }
    }
  }
  if (!is_found) {
    throw std::runtime_error("mutants: bring the list of faults up to date");
  }
  expect_all_files(source, edits);
  std::map<fs::path, std::string> changed;
  for (const auto& [file, changes] : edits) {
    changed[path_of(file)] = with_switches(read(source / path_of(file)), changes, file);
  }
  std::cout << faults.size() << " faults in " << changed.size() << " files\n";
  if (target.empty()) {
    return;
  }
  for (const char* folder : {"include/dma", "examples", "applications"}) {
    for (const auto& entry : fs::recursive_directory_iterator(source / folder)) {
      const fs::path file = fs::relative(entry.path(), source);
      if (entry.is_regular_file() && (file.extension() == ".hpp" || file.extension() == ".cpp")) {
        const auto found = changed.find(file);
        write(target / file, found == changed.end() ? read(entry.path()) : found->second);
      }
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2 && count != 3) {
    std::cerr << "usage: write_sources <source folder> [<target folder>]\n";
    return 2;
  }
  try {
    run(arguments[1], count == 3 ? arguments[2] : "");
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
