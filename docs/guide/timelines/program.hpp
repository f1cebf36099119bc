#pragma once

/// What the programs that draw pictures share: their `main`, and how they write.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace draw {

using Path = std::filesystem::path;

inline void write(const Path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();  // what the stream still holds may not fit
  if (!out) {
    throw std::runtime_error("cannot write " + path.string());
  }
}

/// The `main` of a program whose last argument is the folder that it writes to.
///
/// @param usage  its name and its arguments: `draw_trace <trace> <folder>`
/// @param draw   called with the arguments; the folder exists
template <class Draw>
int run_program(const std::string& usage, int argc, char** argv, const Draw& draw) {
  const std::vector<std::string_view> arguments(argv + std::min(argc, 1), argv + argc);
  const bool is_asked = !arguments.empty() && arguments.front() == "--help";
  if (is_asked || std::count(usage.begin(), usage.end(), '<') != static_cast<std::ptrdiff_t>(arguments.size())) {
    std::fprintf(is_asked ? stdout : stderr, "usage: %s\n", usage.c_str());
    return is_asked ? 0 : 1;
  }
  try {
    const std::vector<Path> paths(arguments.begin(), arguments.end());
    std::filesystem::create_directories(paths.back());
    draw(paths);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", usage.substr(0, usage.find(' ')).c_str(), error.what());
    return 1;
  }
}

}  // namespace draw
