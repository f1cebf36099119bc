// draw_star <folder>: <folder>/star.svg, a star-shaped stencil with its halo.

#include "star_picture.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) {
    throw std::runtime_error("draw_star: cannot write " + path.string());
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const bool is_asked = argc > 1 && std::string_view(argv[1]) == "--help";
  if (is_asked || argc != 2) {
    std::fprintf(is_asked ? stdout : stderr, "usage: draw_star <folder>\n");
    return is_asked ? 0 : 1;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  constexpr int radius = 2;
  write(folder / "star.svg", draw::star_svg(draw::star_cells<6, 4, radius>(10, 14, 3, 4), radius, 3, 5));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
