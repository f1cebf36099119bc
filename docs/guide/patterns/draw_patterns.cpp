// draw_patterns <folder>: writes one SVG a pattern, drawn from the runs that the library's own types give.

#include "../../../examples/custom_pattern/triangle.hpp"
#include "../timelines/program.hpp"
#include "picture.hpp"

#include <dma/dma.hpp>

#include <string>
#include <utility>
#include <vector>

namespace {

class Folder {
 public:
  explicit Folder(draw::Path path) : path_(std::move(path)) {}

  template <class Pattern>
  void draw(const std::string& name, const Pattern& pattern, const draw::View& view) const {
    draw::write(path_ / (name + ".svg"), draw::Picture(pattern, view).svg());
  }

 private:
  draw::Path path_;
};

struct Chunk {
  unsigned char bytes[16];
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

  // Rows of 5, 2, 6, 3 and 4 elements, one after another.
  static constexpr int offsets[] = {0, 5, 7, 13, 16, 20};
  static constexpr int sparse_rows[] = {3, 0, 4, 2};
  folder.draw("csr", dma::Csr<float, 6, 4>{offsets, 5, sparse_rows}, {.global = {4, 6, true}, .shared = {4, 6}});

  // A box that hangs over the upper right corner of a 6 x 8 array.
  using Box = dma::Tile2D<float, 6, 4>;
  folder.draw("tile2d", Box{.pitch_bytes = 32, .array_rows = 6, .array_cols = 8, .row = -1, .col = 4},
              {.global = {6, 8}, .shared = {4, 6}});
  folder.draw("store", dma::Store<Box>({.pitch_bytes = 32, .array_rows = 6, .array_cols = 8, .row = 3, .col = 4}),
              {.global = {6, 8}, .shared = {4, 6}});

  // Changed in place: a box that ends at the array's last row.
  folder.draw("update", dma::Update<Box>(Box{.pitch_bytes = 32, .array_rows = 6, .array_cols = 8, .row = 3, .col = 1}),
              {.global = {6, 8}, .shared = {4, 6}});

  // Five rows of a sequence in pages 2 and 0, of four pages with three rows each.
  static constexpr int pages[] = {2, 0};
  using Rows = dma::Paged<float, dma::PagedShape{.cols = 6, .rows = 6, .box_rows = 3}>;
  folder.draw(
      "paged",
      Rows{.array = {.pages = 4, .rows = 3, .page_pitch_bytes = 72, .head_pitch_bytes = 24, .row_pitch_bytes = 24},
           .pages = pages,
           .rows = 5},
      {.global = {.rows = 12, .cols = 6, .plane_rows = 3}, .shared = {6, 6}, .beyond = "behind the last row"});

  // The ring of radius 1 around rows 1 to 3 and columns 3 to 6 of an array that ends at the ring's right side.
  using Ring = dma::Halo2D<float, dma::HaloShape{.cols = 4, .rows = 3, .radius = 1}>;
  folder.draw("halo2d", Ring{.pitch_bytes = 28, .array_rows = 6, .array_cols = 7, .row = 1, .col = 3},
              {.global = {6, 7}, .shared = {5, 6}});

  folder.draw("transpose", dma::Transpose<float, 6, 4>{32}, {.global = {4, 8}, .shared = {6, 5}, .runs_a_colour = 6});

  // Two planes of a 3 x 4 x 6 array, over its right side.
  using Box3D = dma::Tile3D<float, dma::TileShape{.cols = 4, .rows = 3, .planes = 2}>;
  folder.draw("tile3d",
              Box3D{.pitch_bytes = 24,
                    .plane_pitch_bytes = 96,
                    .array_planes = 3,
                    .array_rows = 4,
                    .array_cols = 6,
                    .plane = 1,
                    .row = 1,
                    .col = 4},
              {.global = {.rows = 12, .cols = 6, .plane_rows = 4}, .shared = {.rows = 6, .cols = 4, .plane_rows = 3}});

  // The shell of radius 1 around two rows of 3 elements, without edges and corners.
  using Shell =
      dma::Halo3D<float,
                  dma::HaloShape{.cols = 3, .rows = 2, .planes = 1, .radius = 1, .corners = dma::Corners::excluded}>;
  folder.draw("halo3d",
              Shell{.pitch_bytes = 24,
                    .plane_pitch_bytes = 96,
                    .array_planes = 3,
                    .array_rows = 4,
                    .array_cols = 6,
                    .plane = 1,
                    .row = 1,
                    .col = 2},
              {.global = {.rows = 12, .cols = 6, .plane_rows = 4}, .shared = {.rows = 12, .cols = 5, .plane_rows = 4}});

  // A block of a matrix of 10 columns and the part of the first row above it; the second part begins on 128 bytes.
  using Block8 = dma::Tile2D<float, 8, 3>;
  using Header = dma::Tile2D<float, 8, 1>;
  folder.draw("concat",
              dma::Concat{Block8{.pitch_bytes = 40, .array_rows = 6, .array_cols = 10, .row = 2, .col = 1},
                          Header{.pitch_bytes = 40, .array_rows = 6, .array_cols = 10, .row = 0, .col = 1}},
              {.global = {6, 10}, .shared = {5, 8, true}});

  // The same block of two rows out of three fields, four rows apart.
  using Field = dma::Strided<float, 6, 2>;
  folder.draw("repeat", dma::Repeat<Field, 3>{Field{32}, 128}, {.global = {12, 8}, .shared = {6, 6}, .origin = 9});

  // Rows of eight chunks of 16 bytes, which is what a cell stands for here.
  using Chunks = dma::Strided<Chunk, 8, 8, dma::RowLayout{.swizzle = dma::Swizzle::bytes_128}>;
  folder.draw("swizzle", Chunks{128}, {.global = {8, 8}, .shared = {8, 8}});

  folder.draw("custom", LowerTriangle<6>{32}, {.global = {6, 8}, .shared = {3, 7, true}});
}

}  // namespace

int main(int argc, char** argv) {
  return draw::run_program("draw_patterns <folder>", argc, argv,
                           [](const std::vector<draw::Path>& arguments) { draw_all(Folder(arguments[0])); });
}
