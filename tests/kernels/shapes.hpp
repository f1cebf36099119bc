#pragma once

/// Shapes of every pattern, and what each moves, said by nested loops over coordinates that know nothing of runs.

#include <dma/patterns/concat.hpp>
#include <dma/patterns/halo2d.hpp>
#include <dma/patterns/halo3d.hpp>
#include <dma/patterns/indirect.hpp>
#include <dma/patterns/repeat.hpp>
#include <dma/patterns/sequential.hpp>
#include <dma/patterns/strided.hpp>
#include <dma/patterns/tile2d.hpp>
#include <dma/patterns/tile3d.hpp>
#include <dma/patterns/transpose.hpp>

#include "kernels/axis_box.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace shapes {

struct Rgb {
  unsigned char r, g, b;
};
/// An element of any size.
template <int Size>
struct Block {
  unsigned char bytes[Size];
};
struct alignas(16) Quad {
  float x, y, z, w;
};

using Words = dma::Sequential<float, 700>;
using Bytes = dma::Sequential<unsigned char, 333, 1>;
using Colours = dma::Sequential<Rgb, 200, 2>;
using Pages = dma::Sequential<Block<4096>, 5>;
using Rows = dma::Strided<float, 32, 24, dma::RowLayout{.pitch_bytes = 144}>;
using RaggedRows = dma::Strided<float, 29, 12, dma::RowLayout{.pitch_bytes = 128, .alignment = 16}>;
using OddRows = dma::Strided<Rgb, 20, 24, dma::RowLayout{.alignment = 1}>;
using BlockRows = dma::Strided<Block<48>, 4, 12, dma::RowLayout{.pitch_bytes = 240}>;
using WideRows = dma::Strided<Block<1000>, 3, 4, dma::RowLayout{.pitch_bytes = 4000}>;
using Gather = dma::Indirect<float, 24, 40>;
using WideGather = dma::Indirect<double, 8, 40, dma::IndexedRows<long long>{}>;
using BlockGather = dma::Indirect<Block<256>, 2, 14>;
using LongGather = dma::Indirect<float, 4, 150>;
using RowGather = dma::Indirect<float, 5, 1, dma::RowLayout{.alignment = 16}>;
using Box = dma::Tile2D<float, 20, 12>;
using WideBox = dma::Tile2D<float, 32, 12, dma::RowLayout{.alignment = 16}>;
using BlockBox = dma::Tile2D<Block<100>, 7, 5>;
using Turned = dma::Transpose<float, 32, 24>;

using Volume = dma::Tile3D<float, dma::TileShape{.cols = 12, .rows = 5, .planes = 4}>;
using WideVolume = dma::Tile3D<float, dma::TileShape{.cols = 16, .rows = 4, .planes = 3},
                               dma::RowLayout{.pitch_bytes = 80, .alignment = 16, .plane_pitch_bytes = 336}>;
using BlockVolume = dma::Tile3D<Block<48>, dma::TileShape{.cols = 3, .rows = 4, .planes = 3}>;

template <int Radius, dma::Corners corners = dma::Corners::excluded>
using Ring = dma::Halo2D<float, dma::HaloShape{.cols = 16, .rows = 12, .radius = Radius, .corners = corners}>;
using WideRing =
    dma::Halo2D<Quad, dma::HaloShape{.cols = 8, .rows = 6, .radius = 2, .corners = dma::Corners::included}>;
template <int Radius, dma::Corners corners>
using Shell =
    dma::Halo3D<float, dma::HaloShape{.cols = 8, .rows = 5, .planes = 4, .radius = Radius, .corners = corners}>;

constexpr dma::RowLayout swizzled_by(dma::Swizzle swizzle) { return {.swizzle = swizzle}; }
using SwizzledRows = dma::Strided<float, 32, 24, swizzled_by(dma::Swizzle::bytes_128)>;
using SwizzledPairs = dma::Strided<unsigned short, 32, 24, swizzled_by(dma::Swizzle::bytes_64)>;
using SwizzledGather = dma::Indirect<float, 16, 20, swizzled_by(dma::Swizzle::bytes_32)>;
using SwizzledBox = dma::Tile2D<float, 32, 12, swizzled_by(dma::Swizzle::bytes_128)>;
using SwizzledVolume =
    dma::Tile3D<float, dma::TileShape{.cols = 16, .rows = 5, .planes = 3}, swizzled_by(dma::Swizzle::bytes_64)>;

using BlockAndBox = dma::Concat<dma::Strided<float, 20, 9>, dma::Tile2D<float, 7, 9>>;
using Sequences = dma::Repeat<dma::Sequential<float, 60>, 7>;
using TwoBoxes = dma::Concat<dma::Tile2D<float, 12, 6>, dma::Tile2D<float, 4, 9>>;
using Boxes = dma::Repeat<dma::Tile2D<float, 12, 6>, 3>;

/// Where a byte offset of a tile goes, as the hardware's swizzles are drawn: 128-byte lines of eight 16-byte chunks,
/// and chunk j of line l changes places with chunk j ^ l of its group of eight, four or two.
inline int hardware_place(dma::Swizzle swizzle, int offset) {
  const int group = swizzle == dma::Swizzle::bytes_128 ? 8 : swizzle == dma::Swizzle::bytes_64 ? 4 : 2;
  const int line = offset / 128;
  const int chunk = offset % 128 / 16;
  const int moved = chunk / group * group + ((chunk % group) ^ (line % group));
  return swizzle == dma::Swizzle::none ? offset : line * 128 + moved * 16 + offset % 16;
}

/// Where element (p, r, c) of rows begins in the tile.
template <class T, int Cols, int RowCount, dma::RowLayout Layout>
int place(int p, int r, int c) {
  constexpr int size = sizeof(T);
  constexpr int pitch = Layout.pitch_bytes != 0 ? Layout.pitch_bytes : Cols * size;
  constexpr int plane_pitch = Layout.plane_pitch_bytes != 0 ? Layout.plane_pitch_bytes : RowCount * pitch;
  return hardware_place(Layout.swizzle, p * plane_pitch + r * pitch + c * size);
}

// Each calls `move(global, shared, bytes)` for every element of a shape that moves, and `fill(shared, value)` for every
// one that is filled.

template <class T, int Count, int Alignment, class Move, class Fill>
void visit(const dma::Sequential<T, Count, Alignment>& shape, const Move& move, const Fill&) {
  for (int i = 0; i < shape.elements; ++i) {
    move(i * static_cast<long long>(sizeof(T)), i * static_cast<int>(sizeof(T)), static_cast<int>(sizeof(T)));
  }
}
template <class T, int Cols, int RowCount, dma::RowLayout Layout, class Move, class Fill>
void visit(const dma::Strided<T, Cols, RowCount, Layout>& shape, const Move& move, const Fill&) {
  constexpr int size = sizeof(T);
  for (int row = 0; row < shape.rows; ++row) {
    for (int col = 0; col < shape.cols; ++col) {
      move(row * shape.pitch_bytes + col * size, place<T, Cols, RowCount, Layout>(0, row, col), size);
    }
  }
}
template <class T, int Cols, int RowCount, auto Rows, class Move, class Fill>
void visit(const dma::Indirect<T, Cols, RowCount, Rows>& shape, const Move& move, const Fill&) {
  constexpr int size = sizeof(T);
  for (int row = 0; row < shape.rows; ++row) {
    for (int col = 0; col < Cols; ++col) {
      move(static_cast<long long>(shape.indices[row]) * shape.pitch_bytes + col * size,
           place<T, Cols, RowCount, dma::detail::layout_of_rows<Rows>>(0, row, col), size);
    }
  }
}

/// One element of an array of up to three dimensions, or its replacement outside.
template <class Shape, class Move, class Fill>
void visit_place(const Shape& shape, long long plane, long long row, long long col, int shared, const Move& move,
                 const Fill& fill) {
  constexpr int size = sizeof(typename Shape::Element);
  long long global = row * shape.pitch_bytes + col * size;
  bool is_inside = row >= 0 && row < shape.array_rows && col >= 0 && col < shape.array_cols;
  if constexpr (requires { shape.array_planes; }) {
    global += plane * shape.plane_pitch_bytes;
    is_inside = is_inside && plane >= 0 && plane < shape.array_planes;
  }
  if (is_inside) {
    move(global, shared, size);
  } else {
    fill(shared, shape.fill);
  }
}
template <class T, int Cols, int RowCount, dma::RowLayout Layout, class Move, class Fill>
void visit(const dma::Tile2D<T, Cols, RowCount, Layout>& shape, const Move& move, const Fill& fill) {
  for (int r = 0; r < RowCount; ++r) {
    for (int c = 0; c < Cols; ++c) {
      visit_place(shape, 0, 1LL * shape.row + r, 1LL * shape.col + c, place<T, Cols, RowCount, Layout>(0, r, c), move,
                  fill);
    }
  }
}
template <class T, dma::TileShape Shape, dma::RowLayout Layout, class Move, class Fill>
void visit(const dma::Tile3D<T, Shape, Layout>& shape, const Move& move, const Fill& fill) {
  for (int p = 0; p < Shape.planes; ++p) {
    for (int r = 0; r < Shape.rows; ++r) {
      for (int c = 0; c < Shape.cols; ++c) {
        visit_place(shape, 1LL * shape.plane + p, 1LL * shape.row + r, 1LL * shape.col + c,
                    place<T, Shape.cols, Shape.rows, Layout>(p, r, c), move, fill);
      }
    }
  }
}
template <class T, dma::HaloShape Shape, class Move, class Fill>
void visit(const dma::Halo2D<T, Shape>& shape, const Move& move, const Fill& fill) {
  int shared = 0;
  for (int r = -Shape.radius; r < Shape.rows + Shape.radius; ++r) {
    for (int c = -Shape.radius; c < Shape.cols + Shape.radius; ++c, shared += static_cast<int>(sizeof(T))) {
      const int axes_beside = (r < 0 || r >= Shape.rows) + (c < 0 || c >= Shape.cols);
      if (axes_beside == 1 || (axes_beside == 2 && Shape.corners == dma::Corners::included)) {
        visit_place(shape, 0, shape.row + r, shape.col + c, shared, move, fill);
      }
    }
  }
}
template <class T, dma::HaloShape Shape, class Move, class Fill>
void visit(const dma::Halo3D<T, Shape>& shape, const Move& move, const Fill& fill) {
  int shared = 0;
  for (int p = -Shape.radius; p < Shape.planes + Shape.radius; ++p) {
    for (int r = -Shape.radius; r < Shape.rows + Shape.radius; ++r) {
      for (int c = -Shape.radius; c < Shape.cols + Shape.radius; ++c, shared += static_cast<int>(sizeof(T))) {
        const int axes_beside = (p < 0 || p >= Shape.planes) + (r < 0 || r >= Shape.rows) + (c < 0 || c >= Shape.cols);
        if (axes_beside == 1 || (axes_beside > 1 && Shape.corners == dma::Corners::included)) {
          visit_place(shape, shape.plane + p, shape.row + r, shape.col + c, shared, move, fill);
        }
      }
    }
  }
}
template <class T, int Cols, int RowCount, class Move, class Fill>
void visit(const dma::Transpose<T, Cols, RowCount>& shape, const Move& move, const Fill&) {
  constexpr int size = sizeof(T);
  constexpr int column = RowCount % 2 == 0 ? RowCount + 1 : RowCount;
  for (int row = 0; row < shape.rows; ++row) {
    for (int col = 0; col < shape.cols; ++col) {
      move(row * shape.pitch_bytes + col * size, (col * column + row) * size, size);
    }
  }
}
/// Copies of patterns that are not swizzled, one directly after another.
template <class Pattern, int Count, class Move, class Fill>
void visit(const dma::Repeat<Pattern, Count>& shape, const Move& move, const Fill& fill) {
  for (int copy = 0; copy < shape.copies; ++copy) {
    visit(
        shape.pattern,
        [&](long long global, int shared, int bytes) {
          move(copy * shape.distance_bytes + global, copy * Pattern::tile_bytes + shared, bytes);
        },
        [&](int shared, const auto& value) { fill(copy * Pattern::tile_bytes + shared, value); });
  }
}
/// Two parts of which the second begins at the 128 bytes after the first: elements that divide 128.
template <class First, class Second, class Move, class Fill>
void visit(const dma::Concat<First, Second>& shape, const Move& move, const Fill& fill) {
  visit(shape.template part<0>(), move, fill);
  constexpr int begin = (First::tile_bytes + 127) / 128 * 128;
  visit(
      shape.template part<1>(), [&](long long global, int shared, int bytes) { move(global, begin + shared, bytes); },
      [&](int shared, const auto& value) { fill(begin + shared, value); });
}

template <class Pattern>
constexpr bool is_concat = false;
template <class... Parts>
constexpr bool is_concat<dma::Concat<Parts...>> = true;
template <class Pattern>
constexpr bool is_repeat = false;
template <class Pattern, int Count>
constexpr bool is_repeat<dma::Repeat<Pattern, Count>> = true;

/// As many indices as a gather has runs and some more, each a row of its own.
template <class Index, class Pattern>
std::vector<Index> indices_for() {
  std::vector<Index> indices(Pattern::max_run_count + 8);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    indices[i] = static_cast<Index>(i * 7 % indices.size());  // a permutation: 7 divides no size used here
  }
  return indices;
}

/// Every shape of a pattern that the tests run. Indices are in `indices`, which outlives the shapes.
template <class Pattern, class Index>
std::vector<Pattern> all(const std::vector<Index>& indices) {
  using Element = typename Pattern::Element;
  constexpr int size = sizeof(Element);
  std::vector<Pattern> list;
  if constexpr (is_concat<Pattern>) {
    // A block at the left edge of an array, and the box on its right.
    using First = std::remove_cvref_t<decltype(Pattern{}.template part<0>())>;
    using Second = std::remove_cvref_t<decltype(Pattern{}.template part<1>())>;
    const First block{};
    const long long pitch = 512;
    if constexpr (requires { block.array_rows; }) {
      // Two boxes of one array, side by side, over every edge of it.
      for (int row = -10; row <= 20; row += 3) {
        for (int col = -20; col <= 40; col += 4) {
          list.push_back(
              Pattern{First{pitch, 18, 36, row, col}, Second{pitch, 18, 36, row + 1, col + block.array_cols}});
        }
      }
    } else {
      for (int rows = 0; rows <= block.rows; ++rows) {
        for (int array_cols = block.cols - 1; array_cols <= block.cols + 9; ++array_cols) {
          list.push_back(Pattern{First{pitch, rows, block.cols},
                                 Second{pitch, rows + 1, array_cols, 0, block.cols, static_cast<Element>(3.5F)}});
        }
      }
    }
  } else if constexpr (is_repeat<Pattern>) {
    using Copy = decltype(Pattern{}.pattern);
    const std::vector<Copy> copies = all<Copy>(indices);
    for (std::size_t i = 0; i < copies.size(); i += 1 + copies.size() / 60) {
      for (int count = 0; count <= Pattern{}.copies; ++count) {
        const Pattern shape{copies[i], 2048, count};
        if (shape.is_valid()) {
          list.push_back(shape);
        }
      }
    }
  } else if constexpr (requires(Pattern p) { p.position; }) {
    // From before the array to beyond it along the innermost axis, and over an edge of each other one.
    constexpr int axes = decltype(Pattern{}.box())::rank;
    int places = 5;
    for (int axis = 1; axis < axes; ++axis) {
      places *= 3;
    }
    for (int place = 0; place < places; ++place) {
      Pattern shape{};
      shape.position[0] = (place % 5 - 1) * 4;
      for (int axis = 1, rest = place / 5; axis < axes; ++axis, rest /= 3) {
        shape.position[axis] = rest % 3 * 2 - 1;
      }
      list.push_back(shape);
      for (int axis = 0; axis < axes; ++axis) {
        shape.position[axis] = shape.position[axis] < 0 ? 0 : shape.position[axis];
      }
      list.push_back(shape);
    }
  } else if constexpr (requires(Pattern p) { p.elements; }) {
    for (int n = 0; n <= Pattern::count; ++n) {
      list.push_back({n});
    }
  } else if constexpr (requires(Pattern p) { p.table_rows; }) {
    constexpr int alignment = Pattern::run_alignment;
    constexpr long long row_bytes = (Pattern::Tile::row_bytes + alignment - 1) / alignment * alignment;
    constexpr int rows_of_tile = Pattern{}.rows;
    for (const long long pitch : {row_bytes, row_bytes + 32}) {
      for (int rows = 0; rows <= rows_of_tile; ++rows) {
        for (int first = 0; first < 8; ++first) {
          list.push_back({indices.data() + first, static_cast<long long>(indices.size()), pitch, rows});
        }
      }
    }
  } else if constexpr (requires(Pattern p) { p.array_rows; }) {
    // An array a little larger than the box, and the box from wholly outside on one side to wholly outside on the
    // other.
    constexpr int step = Pattern::run_alignment > size ? Pattern::run_alignment / size : 1;
    const Pattern box{};
    const int rows = box.array_rows + 3;
    const int cols = box.array_cols + 4 * step;
    const long long pitch = (cols + 4 * step) * static_cast<long long>(size);
    const auto add_rows_and_cols = [&](int row_step, const auto& add) {
      for (int row = -box.array_rows - 1; row <= rows + box.row + 1; row += row_step) {
        for (int col = -box.array_cols - step; col <= cols + box.col + step; col += step < 3 ? 3 : step) {
          add(row, col);
        }
      }
    };
    if constexpr (requires(Pattern p) { p.array_planes; }) {
      const int planes = box.array_planes + 2;
      for (int plane = -box.array_planes - 1; plane <= planes + box.plane + 1; plane += 2) {
        add_rows_and_cols(3, [&](int row, int col) {
          list.push_back({pitch, rows * pitch + 4 * step * size, planes, rows, cols, plane, row, col, Element{}});
        });
      }
    } else {
      add_rows_and_cols(1, [&](int row, int col) { list.push_back({pitch, rows, cols, row, col, Element{}}); });
    }
  } else {
    const Pattern full{};
    constexpr int alignment = Pattern::run_alignment;
    const int row_bytes = (full.cols * size + alignment - 1) / alignment * alignment;
    for (const long long pitch : {row_bytes, row_bytes + 48, -row_bytes}) {
      for (int rows = 0; rows <= full.rows; ++rows) {
        for (int cols = 0; cols <= full.cols; ++cols) {
          if (const Pattern shape{pitch, rows, cols}; shape.is_valid()) {
            list.push_back(shape);
          }
        }
      }
    }
  }
  if constexpr (requires(Pattern p) { p.fill; }) {
    for (Pattern& shape : list) {
      auto* const bytes = reinterpret_cast<unsigned char*>(&shape.fill);
      for (int byte = 0; byte < size; ++byte) {
        bytes[byte] = static_cast<unsigned char>(161 + byte % 50);
      }
    }
  }
  return list;
}

/// Bytes to either side of the global address that some shape of a list reaches, with room around.
template <class Pattern>
std::size_t reach(const std::vector<Pattern>& list) {
  long long farthest = 0;
  for (const Pattern& shape : list) {
    visit(
        shape,
        [&](long long global, int, int bytes) {
          farthest = std::max({farthest, -global, global + bytes});
        },
        [](int, const auto&) {});
  }
  return static_cast<std::size_t>(farthest / 256 * 256 + 512);
}

}  // namespace shapes
