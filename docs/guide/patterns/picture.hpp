#pragma once

/// A picture of what a pattern moves, drawn from its runs: global memory on one side, the tile in shared memory on the
/// other, as a small SVG that reads on a light and on a dark page.

#include <dma/host/svg.hpp>
#include <dma/patterns/composite_pattern.hpp>
#include <dma/patterns/store.hpp>
#include <dma/patterns/tile2d.hpp>
#include <dma/patterns/tile3d.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/patterns/update.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace draw {

/// Which way a pattern's tiles go.
enum class Way : unsigned char { load, store, load_and_store };

template <class Pattern>
inline constexpr Way way_of = Way::load;
template <class Pattern>
inline constexpr Way way_of<dma::Store<Pattern>> = Way::store;
template <class Pattern>
inline constexpr Way way_of<dma::StoreAdd<Pattern>> = Way::store;
template <class Pattern>
inline constexpr Way way_of<dma::Update<Pattern>> = Way::load_and_store;

/// Memory as rows of `cols` elements.
struct Memory {
  int rows;
  int cols;
  bool is_linear = false;  ///< rows are only where the page breaks the line, and are named by their first element
  int plane_rows = 0;      ///< rows of a plane, where there are planes, which are drawn one below another
};

/// What the caller chooses; everything else follows from the pattern's runs.
struct View {
  Memory global;
  Memory shared;
  long long origin = 0;                      ///< element of global memory that the address names
  int runs_a_colour = 1;                     ///< neighbours in the list that share one
  const char* beyond = "outside the array";  ///< where elements are that have no run
};

class Picture {
 public:
  template <dma::TransferPattern Pattern>
  Picture(const Pattern& pattern, const View& view) : way_(way_of<Pattern>), beyond_(view.beyond) {
    global_.memory = view.global;
    shared_.memory = view.shared;
    global_.last_row = view.global.rows;
    global_.last_col = view.global.cols;
    shared_.last_row = view.shared.rows;
    shared_.last_col = view.shared.cols;
    for (int i = 0; i < pattern.run_count(); ++i) {
      add_run(pattern.run_at(i), static_cast<int>(sizeof(typename Pattern::Element)), i, view);
    }
    dma::for_each_part(pattern, [&](const auto& part, int shared_bytes, auto) { add_fills(part, shared_bytes); });
  }

  [[nodiscard]] std::string svg() const {
    const int left = margin + label_width;
    const int right = left + global_.width() + between + label_width;
    const int height_of_grids = std::max(global_.height(), shared_.height());
    const int legend_y = top + height_of_grids + 18;
    const std::vector<Key> legend = keys();
    int legend_width = 0;
    for (const Key& key : legend) {
      legend_width += width_of(key);
    }
    const int width = std::max(right + std::max(shared_.width(), header_width), margin + legend_width) + margin;
    const int height = legend_y + cell + margin;

    dma::host::Svg svg({{"f", "fill:url(#f)"}, {"e", "fill:none"}});
    svg.raw(
        "<pattern id=\"f\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
        "<path d=\"M0 6L6 0\" stroke=\"#727a84\"/></pattern>\n");
    svg.text(left, margin + 10, "h", "global memory");
    svg.text(right, margin + 10, "h", "tile in shared memory");
    global_.draw(svg, left, top);
    shared_.draw(svg, right, top);
    const int from = left + global_.width() + 14;
    const int to = left + global_.width() + between - 14;
    const int apart = way_ == Way::load_and_store ? 40 : 0;
    if (way_ != Way::store) {
      draw_arrow(svg, from, to, to, top + (height_of_grids - apart) / 2, "load");
    }
    if (way_ != Way::load) {
      draw_arrow(svg, from, to, from, top + (height_of_grids + apart) / 2, "store");
    }
    int x = margin;
    for (const Key& key : legend) {
      draw_sample(svg, x, legend_y, key);
      x += width_of(key);
    }
    return svg.page(width, height);
  }

 private:
  static constexpr int cell = 22;
  static constexpr int margin = 12;
  static constexpr int label_width = 22;
  static constexpr int between = 84;
  static constexpr int header_width = 150;
  static constexpr int top = margin + 22;
  static constexpr int colours = dma::host::Svg::colours;

  /// Neighbouring elements of one run in one row.
  struct Bar {
    int row;
    int col;
    int length;
    int run;
    int colour;
    bool begins;  ///< the run; its other bars go on with it
  };
  struct Place {
    int row;
    int col;
  };
  struct Key {
    const char* kind;  ///< class of the sample
    std::string words;
  };

  /// One of the two memories, with what is to be drawn in it. Rows and columns may lie before 0, outside the array.
  struct Grid {
    Memory memory{};
    int first_row = 0;
    int first_col = 0;
    int last_row = 0;
    int last_col = 0;
    std::vector<Bar> bars{};
    std::vector<Place> fills{};

    [[nodiscard]] int width() const { return (last_col - first_col) * cell; }
    [[nodiscard]] int height() const { return (last_row - first_row) * cell; }

    void add(long long element, int count, int run, int colour) {
      if (element < 0 || element + count > static_cast<long long>(memory.rows) * memory.cols) {
        throw std::out_of_range("draw::Picture: a run leaves the memory that is drawn; draw more rows");
      }
      for (int done = 0; done < count;) {
        const int row = static_cast<int>((element + done) / memory.cols);
        const int col = static_cast<int>((element + done) % memory.cols);
        const int length = std::min(count - done, memory.cols - col);
        bars.push_back({row, col, length, run, colour, done == 0});
        done += length;
      }
    }
    void add_fill(int row, int col) {
      fills.push_back({row, col});
      first_row = std::min(first_row, row);
      first_col = std::min(first_col, col);
      last_row = std::max(last_row, row + 1);
      last_col = std::max(last_col, col + 1);
    }
    [[nodiscard]] int touched() const {
      int count = static_cast<int>(fills.size());
      for (const Bar& bar : bars) {
        count += bar.length;
      }
      return count;
    }

    [[nodiscard]] std::string name_of(int row) const {
      if (memory.plane_rows != 0) {
        return std::to_string(row / memory.plane_rows) + "," + std::to_string(row % memory.plane_rows);
      }
      return std::to_string(memory.is_linear ? row * memory.cols : row);
    }
    /// Bars and fills first, then the lines between elements, then words.
    void draw(dma::host::Svg& svg, int left, int top_edge) const {
      const auto x = [&](int col) { return left + (col - first_col) * cell; };
      const auto y = [&](int row) { return top_edge + (row - first_row) * cell; };
      const auto path = [&](const std::string& kind, const std::string& line) {
        if (!line.empty()) {
          svg.path(kind, line);
        }
      };
      for (int colour = 0; colour < colours; ++colour) {
        std::string boxes;
        for (const Bar& bar : bars) {
          if (bar.colour == colour) {
            boxes += box(x(bar.col), y(bar.row), bar.length * cell);
          }
        }
        path("c" + std::to_string(colour), boxes);
      }
      std::string hatched;
      for (const Place& place : fills) {
        hatched += box(x(place.col), y(place.row), cell);
      }
      path("f", hatched);

      std::string lines;
      for (int row = 0; row <= memory.rows; ++row) {
        lines += move_to(x(0), y(row)) + "h" + std::to_string(memory.cols * cell);
      }
      for (int col = 0; col <= memory.cols; ++col) {
        lines += move_to(x(col), y(0)) + "v" + std::to_string(memory.rows * cell);
      }
      path("g", lines);
      std::string planes;
      for (int row = memory.plane_rows; memory.plane_rows != 0 && row < memory.rows; row += memory.plane_rows) {
        planes += move_to(x(0), y(row)) + "h" + std::to_string(memory.cols * cell);
      }
      path("l", planes);

      for (const Bar& bar : bars) {
        if (bar.begins) {
          svg.text(x(bar.col) + cell / 2, y(bar.row) + 15, "n", std::to_string(bar.run));
        }
      }
      for (int row = 0; row < memory.rows; ++row) {
        svg.text(left - 6, y(row) + 15, "r", name_of(row));
      }
    }
  };

  void add_run(const dma::Run& run, int element_bytes, int index, const View& view) {
    const int colour = index / view.runs_a_colour % colours;
    const int count = run.bytes / element_bytes;
    global_.add(view.origin + run.global / element_bytes, count, index, colour);
    shared_.add(run.shared / element_bytes, count, index, colour);
  }
  /// Elements of the tile that lie outside the array, on both sides.
  template <class Part>
  void add_fills(const Part& part, int shared_bytes) {
    if constexpr (dma::PaddedPattern<Part>) {
      for (int i = 0; i < Part::count; ++i) {
        if (part.is_padding(i)) {
          const int element = shared_bytes / static_cast<int>(sizeof(typename Part::Element)) + Part::place_of(i);
          shared_.add_fill(element / shared_.memory.cols, element % shared_.memory.cols);
          if constexpr (requires { global_place(part, i); }) {
            const Place outside = global_place(part, i);
            global_.add_fill(outside.row, outside.col);
          }
        }
      }
    }
  }
  /// Where element i of a box would lie in the array, planes one below another.
  template <class T, int Cols, int Rows, dma::RowLayout Layout>
  [[nodiscard]] Place global_place(const dma::Tile2D<T, Cols, Rows, Layout>& box, int i) const {
    return {box.row + i / Cols, box.col + i % Cols};
  }
  template <class T, dma::TileShape Shape, dma::RowLayout Layout>
  [[nodiscard]] Place global_place(const dma::Tile3D<T, Shape, Layout>& box, int i) const {
    return {
        (box.plane + i / (Shape.rows * Shape.cols)) * global_.memory.plane_rows + box.row + i / Shape.cols % Shape.rows,
        box.col + i % Shape.cols};
  }

  [[nodiscard]] std::vector<Key> keys() const {
    std::vector<Key> list{{"c0", "a run, its number where it begins"}};
    if (!shared_.fills.empty()) {
      list.push_back({"f", std::string(beyond_) + (way_ == Way::store ? ": not written" : ": arrives as fill")});
    }
    if (shared_.touched() < shared_.memory.rows * shared_.memory.cols) {
      list.push_back({"e", "not touched"});
    }
    return list;
  }
  [[nodiscard]] static int width_of(const Key& key) { return cell + 8 + static_cast<int>(key.words.size()) * 6 + 22; }
  static void draw_sample(dma::host::Svg& svg, int x, int y, const Key& key) {
    svg.path("g " + std::string(key.kind), box(x, y, cell));
    if (key.kind[0] == 'c') {
      svg.text(x + cell / 2, y + 15, "n", "0");
    }
    svg.text(x + cell + 8, y + 15, "k", key.words);
  }

  static void draw_arrow(dma::host::Svg& svg, int from, int to, int tip, int y, const char* word) {
    const int back = tip == from ? 8 : -8;
    svg.path("l", move_to(from, y) + "H" + std::to_string(to) + move_to(tip + back, y - 5) + "L" + std::to_string(tip) +
                      " " + std::to_string(y) + "l" + std::to_string(back) + " 5");
    svg.text((from + to) / 2, y - 9, "m", word);
  }
  [[nodiscard]] static std::string move_to(int x, int y) { return dma::host::Svg::move_to(x, y); }
  [[nodiscard]] static std::string box(int x, int y, int width) {
    const std::string w = std::to_string(width);
    return move_to(x, y) + "h" + w + "v" + std::to_string(cell) + "h-" + w + "z";
  }

  Grid global_;
  Grid shared_;
  Way way_;
  const char* beyond_;
};

}  // namespace draw
