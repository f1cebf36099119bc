// draw_patterns <folder>: writes one SVG a pattern, drawn from the runs that the library's own types give.

#include "../../examples/custom_pattern/triangle.hpp"
#include "picture.hpp"

#include <dma/dma.hpp>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace {

class Folder {
 public:
  explicit Folder(std::filesystem::path path) : path_(std::move(path)) { std::filesystem::create_directories(path_); }

  template <class Pattern>
  void draw(const std::string& name, const Pattern& pattern, const draw::View& view) const {
    std::ofstream file(path_ / (name + ".svg"), std::ios::binary);
    file << draw::Picture(pattern, view).svg();
    if (!file) {
      throw std::runtime_error("draw_patterns: cannot write " + (path_ / (name + ".svg")).string());
    }
  }

 private:
  std::filesystem::path path_;
};

void draw_all(const Folder& folder) {
  // The second tile of an array of 43 floats, and its last: 19 of 24.
  folder.draw("sequential", dma::Sequential<float, 24>{19},
              {.global = {6, 8, true}, .shared = {3, 8, true}, .origin = 24});

  // A block at (1, 2) of a matrix of 10 columns, its rows two elements further apart in shared memory than they are
  // long.
  using Block = dma::Strided<float, 6, 4, dma::RowLayout{.pitch_bytes = 32}>;
  folder.draw("strided", Block{40}, {.global = {6, 10}, .shared = {4, 8}, .origin = 12});

  static constexpr int rows[] = {5, 1, 6, 2};
  folder.draw("indirect", dma::Indirect<float, 6, 4>{rows, 8}, {.global = {8, 6}, .shared = {4, 6}});

  // A box that hangs over the upper right corner of a 6 x 8 array.
  using Box = dma::Tile2D<float, 6, 4>;
  folder.draw("tile2d", Box{.pitch_bytes = 32, .array_rows = 6, .array_cols = 8, .row = -1, .col = 4},
              {.global = {6, 8}, .shared = {4, 6}});
  folder.draw("store", dma::Store<Box>({.pitch_bytes = 32, .array_rows = 6, .array_cols = 8, .row = 3, .col = 4}),
              {.global = {6, 8}, .shared = {4, 6}});

  // The ring of radius 1 around rows 1 to 3 and columns 3 to 6 of an array that ends at the ring's right side.
  using Ring = dma::Halo2D<float, 4, 3, 1>;
  folder.draw("halo2d", Ring{.pitch_bytes = 28, .array_rows = 6, .array_cols = 7, .row = 1, .col = 3},
              {.global = {6, 7}, .shared = {5, 6}});

  folder.draw("transpose", dma::Transpose<float, 6, 4>{32}, {.global = {4, 8}, .shared = {6, 5}, .runs_a_colour = 6});

  folder.draw("custom", LowerTriangle<6>{32}, {.global = {6, 8}, .shared = {3, 7, true}});
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: draw_patterns <folder>\n");
    return 1;
  }
  draw_all(Folder(argv[1]));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
