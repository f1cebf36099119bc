#pragma once

/// Shapes of every pattern, and what each moves, said by nested loops over coordinates that know nothing of runs.

#include <dma/patterns/halo2d.hpp>
#include <dma/patterns/indirect.hpp>
#include <dma/patterns/sequential.hpp>
#include <dma/patterns/strided.hpp>
#include <dma/patterns/tile2d.hpp>
#include <dma/patterns/transpose.hpp>

#include <vector>

namespace shapes {

struct Rgb {
  unsigned char r, g, b;
};

using Words = dma::Sequential<float, 700>;
using Bytes = dma::Sequential<unsigned char, 333, 1>;
using Colours = dma::Sequential<Rgb, 200, 2>;
using Rows = dma::Strided<float, 32, 24, dma::RowLayout{.pitch_bytes = 144}>;
using OddRows = dma::Strided<Rgb, 20, 24, dma::RowLayout{.alignment = 1}>;
using Gather = dma::Indirect<float, 24, 40>;
using WideGather = dma::Indirect<double, 8, 40, long long>;
using Box = dma::Tile2D<float, 20, 12>;
using WideBox = dma::Tile2D<float, 32, 12, dma::RowLayout{.alignment = 16}>;
using Ring = dma::Halo2D<float, 16, 12, 4, dma::Corners::left_out>;
using Turned = dma::Transpose<float, 32, 24>;

/// Calls `move(global, shared, bytes)` for each element of a shape, and `fill(shared)` for each that is filled.
template <class T, int Count, int Alignment, class Move, class Fill>
void visit(const dma::Sequential<T, Count, Alignment>& shape, const Move& move, const Fill&) {
  for (int i = 0; i < shape.elements; ++i) {
    move(i * static_cast<long long>(sizeof(T)), i * static_cast<int>(sizeof(T)), static_cast<int>(sizeof(T)));
  }
}
template <class T, int Cols, int RowCount, dma::RowLayout Layout, class Move, class Fill>
void visit(const dma::Strided<T, Cols, RowCount, Layout>& shape, const Move& move, const Fill&) {
  constexpr int size = sizeof(T);
  const int pitch = Layout.pitch_bytes != 0 ? Layout.pitch_bytes : Cols * size;
  for (int row = 0; row < shape.rows; ++row) {
    for (int col = 0; col < shape.cols; ++col) {
      move(row * shape.pitch_bytes + col * size, row * pitch + col * size, size);
    }
  }
}
template <class T, int Cols, int RowCount, class Index, class Move, class Fill>
void visit(const dma::Indirect<T, Cols, RowCount, Index>& shape, const Move& move, const Fill&) {
  constexpr int size = sizeof(T);
  for (int row = 0; row < shape.rows; ++row) {
    for (int col = 0; col < Cols; ++col) {
      move(static_cast<long long>(shape.indices[row]) * shape.pitch_bytes + col * size, (row * Cols + col) * size,
           size);
    }
  }
}
template <class T, int Cols, int RowCount, dma::RowLayout Layout, class Move, class Fill>
void visit(const dma::Tile2D<T, Cols, RowCount, Layout>& shape, const Move& move, const Fill& fill) {
  constexpr int size = sizeof(T);
  for (int r = 0; r < RowCount; ++r) {
    for (int c = 0; c < Cols; ++c) {
      const long long row = shape.row + r;
      const long long col = shape.col + c;
      if (row >= 0 && row < shape.array_rows && col >= 0 && col < shape.array_cols) {
        move(row * shape.pitch_bytes + col * size, (r * Cols + c) * size, size);
      } else {
        fill((r * Cols + c) * size);
      }
    }
  }
}
template <class T, int Cols, int RowCount, int Radius, class Move, class Fill>
void visit(const dma::Halo2D<T, Cols, RowCount, Radius, dma::Corners::left_out>& shape, const Move& move,
           const Fill& fill) {
  constexpr int size = sizeof(T);
  for (int r = -Radius; r < RowCount + Radius; ++r) {
    for (int c = -Radius; c < Cols + Radius; ++c) {
      const bool beside_rows = r < 0 || r >= RowCount;
      const bool beside_cols = c < 0 || c >= Cols;
      const int shared = ((r + Radius) * (Cols + 2 * Radius) + c + Radius) * size;
      const long long row = shape.row + r;
      const long long col = shape.col + c;
      if (beside_rows == beside_cols) {
        continue;  // the tile itself, and the corners
      }
      if (row >= 0 && row < shape.array_rows && col >= 0 && col < shape.array_cols) {
        move(row * shape.pitch_bytes + col * size, shared, size);
      } else {
        fill(shared);
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

/// Every shape of a pattern that the tests run. Indices lie in `indices`, which outlives the shapes.
template <class Pattern, class Index>
std::vector<Pattern> all(const std::vector<Index>& indices) {
  std::vector<Pattern> list;
  if constexpr (requires(Pattern p) { p.elements; }) {
    for (int n = 0; n <= Pattern::count; ++n) {
      list.push_back({n});
    }
  } else if constexpr (requires(Pattern p) { p.table_rows; }) {
    constexpr long long row_bytes = Pattern::max_run_bytes;
    for (const long long pitch : {row_bytes, row_bytes + 32}) {
      for (int rows = 0; rows <= Pattern::max_run_count; ++rows) {
        for (int first = 0; first < 8; ++first) {
          list.push_back({indices.data() + first, static_cast<long long>(indices.size()), pitch, rows});
        }
      }
    }
  } else if constexpr (requires(Pattern p) { p.array_rows; }) {
    constexpr int rows = 15;
    constexpr int cols = 40;
    constexpr int step = Pattern::run_alignment / 4;
    for (int row = -13; row <= rows + 1; ++row) {
      for (int col = -36; col <= cols + 4; col += step) {
        list.push_back({(cols + 4) * 4, rows, cols, row, col, -7.5F});
      }
    }
  } else {
    constexpr long long size = sizeof(typename Pattern::Element);
    const Pattern full{};
    for (const long long pitch : {full.cols * size, full.cols * size + 48, -full.cols * size}) {
      for (int rows = 0; rows <= full.rows; ++rows) {
        for (int cols = 0; cols <= full.cols; ++cols) {
          if (const Pattern shape{pitch, rows, cols}; shape.is_valid()) {
            list.push_back(shape);
          }
        }
      }
    }
  }
  return list;
}

}  // namespace shapes
