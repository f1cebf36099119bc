// draw_paradigms <folder>: <folder>/paradigms.svg, two ways to move tiles through shared memory.

#include "../timelines/trace_picture.hpp"
#include "paradigms.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) {
    throw std::runtime_error("draw_paradigms: cannot write " + path.string());
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const bool is_asked = argc > 1 && std::string_view(argv[1]) == "--help";
  if (is_asked || argc != 2) {
    std::fprintf(is_asked ? stdout : stderr, "usage: draw_paradigms <folder>\n");
    return is_asked ? 0 : 1;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  constexpr draw::Work work{.tiles = 6, .load = 12, .compute = 36, .spread = 3};
  const std::vector<draw::Trace> ways{draw::load_synchronize_compute(work, 4),
                                      draw::dma_warp_and_compute_warps(work, 4)};
  write(folder / "paradigms.svg", draw::TracePicture(ways, draw::BarText::work).svg());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
