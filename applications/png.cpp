#include "png.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include <png.h>

namespace {

constexpr int square = 2;            ///< pixels of a side of what letters are made of
constexpr int advance = 4 * square;  ///< from one letter to the next
constexpr int letter_height = 5 * square;

/// Rows of 3 squares, from the top.
[[nodiscard]] std::string_view squares_of(char letter) {
  constexpr std::string_view letters = "0123456789Hksxz";
  constexpr const char* squares[] = {"####.##.##.####", ".#.##..#..#.###", "###..#####..###", "###..####..####",
                                     "#.##.####..#..#", "####..###..####", "####..####.####", "###..#..#..#..#",
                                     "####.#####.####", "####.####..####", "#.##.#####.##.#", "#.##.###.#.##.#",
                                     ".###...#...###.", "#.##.#.#.#.##.#", "###..#.#.#..###"};
  const std::size_t place = letters.find(letter);
  if (place == std::string_view::npos) {
    throw std::invalid_argument("with_axes: no letter '" + std::string(1, letter) + "'; it has " +
                                std::string(letters));
  }
  return squares[place];
}

void draw_text(Picture& picture, unsigned char ink, int left, int top, std::string_view text) {
  for (const char letter : text) {
    const std::string_view squares = squares_of(letter);
    for (int y = 0; y < letter_height; ++y) {
      for (int x = 0; x < 3 * square; ++x) {
        if (squares[static_cast<std::size_t>(y / square * 3 + x / square)] == '#') {
          picture.at(left + x, top + y) = ink;
        }
      }
    }
    left += advance;
  }
}

[[nodiscard]] int width_of(std::string_view text) { return advance * static_cast<int>(text.size()) - square; }

[[nodiscard]] int widest_of(const Axis& axis) {
  int widest = width_of(axis.unit);
  for (const Axis::Mark& mark : axis.marks) {
    widest = std::max(widest, width_of(std::to_string(mark.number)));
  }
  return widest;
}

}  // namespace

Picture with_axes(const Picture& plot, const Axis& across, const Axis& up) {
  constexpr int tick = 4;
  constexpr int gap = 2;
  if (plot.colours.size() > 254) {
    throw std::invalid_argument("with_axes: " + std::to_string(plot.colours.size()) +
                                " colours; leave two of 256 for the axes");
  }
  const auto ink = static_cast<unsigned char>(plot.colours.size());
  const auto paper = static_cast<unsigned char>(plot.colours.size() + 1);
  const int left = widest_of(up) + 2 * gap + tick;
  const int right = widest_of(across) / 2 + gap;
  const int top = letter_height / 2 + gap;
  const int bottom = plot.rows + top;
  Picture picture{left + plot.cols + right, bottom + tick + 2 * gap + letter_height, plot.colours, {}};
  picture.colours.push_back({60, 60, 60});
  picture.colours.push_back({255, 255, 255});
  picture.pixels.assign(static_cast<std::size_t>(picture.cols) * static_cast<std::size_t>(picture.rows), paper);
  for (int row = 0; row < plot.rows; ++row) {
    const auto first = plot.pixels.begin() + static_cast<std::ptrdiff_t>(row) * plot.cols;
    std::copy(first, first + plot.cols, &picture.at(left, top + row));
  }
  for (const Axis::Mark& mark : up.marks) {
    const int row = bottom - 1 - mark.place;
    const std::string number = std::to_string(mark.number);
    std::fill_n(&picture.at(left - tick, row), tick, ink);
    draw_text(picture, ink, left - tick - gap - width_of(number), row - letter_height / 2, number);
  }
  draw_text(picture, ink, gap, top, up.unit);
  for (const Axis::Mark& mark : across.marks) {
    const int col = left + mark.place;
    const std::string number = std::to_string(mark.number);
    for (int y = 0; y < tick; ++y) {
      picture.at(col, bottom + y) = ink;
    }
    draw_text(picture, ink, col - width_of(number) / 2, bottom + tick + gap, number);
  }
  draw_text(picture, ink, left + plot.cols + right - gap - width_of(across.unit), bottom + tick + gap, across.unit);
  return picture;
}

void write_png(const std::string& path, const Picture& picture) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.cols);
  image.height = static_cast<png_uint_32>(picture.rows);
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = static_cast<png_uint_32>(picture.colours.size());
  if (png_image_write_to_file(&image, path.c_str(), 0, picture.pixels.data(), 0, picture.colours.data()) == 0) {
    throw std::runtime_error(path + " cannot be written: " + image.message);
  }
}
