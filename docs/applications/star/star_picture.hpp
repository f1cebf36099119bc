#pragma once

/// A picture of a star-shaped stencil in a plane: the cells of a CTA's block, its halo, and what one cell's sum reads.

#include <dma/host/svg.hpp>
#include <dma/patterns/halo2d.hpp>
#include <dma/patterns/tile2d.hpp>
#include <dma/patterns/transfer_pattern.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace draw {

/// What a cell is to a CTA.
enum class Cell { outside, halo, block };

/// The cells of an array that patterns load for a block, from their runs.
class LoadedCells {
 public:
  LoadedCells(int rows, int cols) : rows_(rows), cols_(cols), cells_(count_of(rows, cols), Cell::outside) {}

  /// @throw std::logic_error  for a cell that another pattern has loaded
  template <dma::TransferPattern Pattern>
  void add(const Pattern& pattern, Cell kind) {
    constexpr auto element_bytes = static_cast<long long>(sizeof(typename Pattern::Element));
    for (int run = 0; run < pattern.run_count(); ++run) {
      const dma::Run here = pattern.run_at(run);
      for (long long byte = 0; byte < here.bytes; byte += element_bytes) {
        Cell& cell = cells_.at(static_cast<std::size_t>((here.global + byte) / element_bytes));
        if (cell != Cell::outside) {
          throw std::logic_error("draw::LoadedCells: a cell is loaded twice");
        }
        cell = kind;
      }
    }
  }
  [[nodiscard]] Cell at(int row, int col) const {
    const bool is_inside = row >= 0 && row < rows_ && col >= 0 && col < cols_;
    return is_inside ? cells_[count_of(row, cols_) + static_cast<std::size_t>(col)] : Cell::outside;
  }
  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int cols() const { return cols_; }

 private:
  [[nodiscard]] static std::size_t count_of(int rows, int cols) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  }

  int rows_;
  int cols_;
  std::vector<Cell> cells_;
};

/// Whether the star around a cell reads another: in its row or its column, at most `radius` away.
[[nodiscard]] constexpr bool star_reads(int row, int col, int radius) {
  const auto size = [](int i) { return i < 0 ? -i : i; };
  return (row == 0 || col == 0) && size(row) + size(col) <= radius;
}

/// A block of `Cols` x `Rows` cells at (row, col) of an array of `rows` x `cols`, with the halo of a star.
template <int Cols, int Rows, int Radius>
[[nodiscard]] LoadedCells star_cells(int rows, int cols, int row, int col) {
  using Block = dma::Tile2D<float, Cols, Rows>;
  using Halo = dma::Halo2D<float, dma::HaloShape{
                                      .cols = Cols, .rows = Rows, .radius = Radius, .corners = dma::Corners::excluded}>;
  const long long pitch_bytes = cols * 4LL;
  LoadedCells cells(rows, cols);
  cells.add(Block{.pitch_bytes = pitch_bytes, .array_rows = rows, .array_cols = cols, .row = row, .col = col},
            Cell::block);
  cells.add(Halo{.pitch_bytes = pitch_bytes, .array_rows = rows, .array_cols = cols, .row = row, .col = col},
            Cell::halo);
  return cells;
}

/// @param row, col  the cell whose star is drawn
[[nodiscard]] inline std::string star_svg(const LoadedCells& cells, int radius, int row, int col) {
  constexpr int cell = 22;
  constexpr int margin = 12;
  dma::host::Svg svg(
      {{"e", "fill:none"}, {"sum", "fill:#16191d;stroke:#727a84"}, {"read", "fill:#d95f02;stroke:#727a84"}});
  const auto box = [&](int x, int y) {
    return dma::host::Svg::move_to(x, y) + "h" + std::to_string(cell) + "v" + std::to_string(cell) + "h-" +
           std::to_string(cell) + "z";
  };
  const auto dot = [&](int x, int y, const char* kind) { svg.circle(kind, x + cell / 2, y + cell / 2, 5); };
  const auto x = [&](int c) { return margin + c * cell; };
  const auto y = [&](int r) { return margin + r * cell; };
  const char* const kinds[] = {"g e", "g c1", "g c0"};  // of a cell outside, of the halo, of the block
  std::string paths[3];
  for (int r = 0; r < cells.rows(); ++r) {
    for (int c = 0; c < cells.cols(); ++c) {
      paths[static_cast<int>(cells.at(r, c))] += box(x(c), y(r));
    }
  }
  for (int i = 0; i < 3; ++i) {
    svg.path(kinds[i], paths[i]);
  }
  for (int r = 0; r < cells.rows(); ++r) {
    for (int c = 0; c < cells.cols(); ++c) {
      if (star_reads(r - row, c - col, radius)) {
        dot(x(c), y(r), r == row && c == col ? "sum" : "read");
      }
    }
  }
  const int left = x(cells.cols()) + 24;
  int line = margin;
  const auto words = [&](const std::string& key) {
    svg.text(left + cell + 10, line + 15, "k", key);
    line += cell + 12;
  };
  const std::pair<Cell, const char*> keys[] = {{Cell::block, "cells of the block: the CTA computes and loads them"},
                                               {Cell::halo, "its halo: loaded, computed by neighbours"},
                                               {Cell::outside, "not loaded; at the corners no star reads them"}};
  for (const auto& [kind, key] : keys) {
    svg.path(kinds[static_cast<int>(kind)], box(left, line));
    words(key);
  }
  dot(left, line, "sum");
  words("a cell");
  dot(left, line, "read");
  words("what its sum reads: a star of radius " + std::to_string(radius));
  return svg.page(left + cell + 10 + 330, y(cells.rows()) + margin);
}

}  // namespace draw
