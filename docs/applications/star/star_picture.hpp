#pragma once

/// A picture of a star-shaped stencil in a plane: the cells of a CTA's block, its halo, and what one cell's sum reads.

#include <dma/patterns/halo2d.hpp>
#include <dma/patterns/tile2d.hpp>
#include <dma/patterns/transfer_pattern.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
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
  const auto coordinates = [](int x, int y) { return std::to_string(x) + " " + std::to_string(y); };
  const auto box = [&](int x, int y) {
    return "M" + coordinates(x, y) + "h" + std::to_string(cell) + "v" + std::to_string(cell) + "h-" +
           std::to_string(cell) + "z";
  };
  const auto dot = [&](int x, int y, const char* kind) {
    return "<circle class=\"" + std::string(kind) + "\" cx=\"" + std::to_string(x + cell / 2) + "\" cy=\"" +
           std::to_string(y + cell / 2) + "\" r=\"5\"/>\n";
  };
  const auto x = [&](int c) { return margin + c * cell; };
  const auto y = [&](int r) { return margin + r * cell; };
  std::string paths[3];
  std::string dots;
  for (int r = 0; r < cells.rows(); ++r) {
    for (int c = 0; c < cells.cols(); ++c) {
      paths[static_cast<int>(cells.at(r, c))] += box(x(c), y(r));
      if (star_reads(r - row, c - col, radius)) {
        dots += dot(x(c), y(r), r == row && c == col ? "p" : "s");
      }
    }
  }
  const char* const kinds[] = {"g e", "g h", "g b"};
  std::string body;
  for (int i = 0; i < 3; ++i) {
    body += "<path class=\"" + std::string(kinds[i]) + "\" d=\"" + paths[i] + "\"/>\n";
  }
  body += dots;
  const int left = x(cells.cols()) + 24;
  int line = margin;
  const auto key = [&](const std::string& sample, const std::string& words) {
    body += sample + "<text x=\"" + std::to_string(left + cell + 10) + "\" y=\"" + std::to_string(line + 15) + "\">" +
            words + "</text>\n";
    line += cell + 12;
  };
  const auto path = [&](const char* kind) {
    return "<path class=\"g " + std::string(kind) + "\" d=\"" + box(left, line) + "\"/>\n";
  };
  key(path("b"), "cells of the block: the CTA computes and loads them");
  key(path("h"), "its halo: loaded, computed by neighbours");
  key(path("e"), "not loaded; at the corners no star reads them");
  key(dot(left, line, "p"), "a cell");
  key(dot(left, line, "s"), "what its sum reads: a star of radius " + std::to_string(radius));
  const std::string width = std::to_string(left + cell + 10 + 330);
  const std::string height = std::to_string(y(cells.rows()) + margin);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + height + "\" viewBox=\"0 0 " +
         width + " " + height +
         "\">\n<style>text{font:12px sans-serif;fill:#727a84}.g{stroke:#727a84;stroke-opacity:.75;"
         "shape-rendering:crispEdges}.e{fill:none}.h{fill:#ffc857}.b{fill:#8ecae6}"
         ".p{fill:#16191d;stroke:#727a84}.s{fill:#d95f02;stroke:#727a84}</style>\n" +
         body + "</svg>\n";
}

}  // namespace draw
