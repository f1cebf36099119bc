#include "picture.hpp"

#include "../png.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>

namespace stencil {
namespace {

constexpr int middle = 120;  ///< the palette's entry for zero; as many on each side
constexpr int ink = 2 * middle + 1;

/// From blue over white to red, and grey for lines.
std::vector<Picture::Colour> palette() {
  std::vector<Picture::Colour> colours;
  for (int i = 0; i <= 2 * middle; ++i) {
    const double distance = std::abs(i - middle) / static_cast<double>(middle);
    const auto fade = [&](double end) { return static_cast<unsigned char>(std::lround(255 + (end - 255) * distance)); };
    const bool is_above = i > middle;
    colours.push_back({fade(is_above ? 178 : 33), fade(is_above ? 24 : 102), fade(is_above ? 43 : 172)});
  }
  colours.push_back({120, 120, 120});
  return colours;
}

}  // namespace

void write_png(const std::string& path, int cols, int rows, const std::vector<float>& values, float scale, int line) {
  const auto refuse = [&](const std::string& what) {
    throw std::invalid_argument("stencil: " + path + " is not drawn: " + what);
  };
  if (cols < 1 || rows < 1 || values.size() != static_cast<std::size_t>(cols) * static_cast<std::size_t>(rows)) {
    refuse(std::to_string(values.size()) + " values for " + std::to_string(cols) + " x " + std::to_string(rows) +
           " pixels; give one each");
  }
  if (!(scale > 0)) {
    refuse("its scale is " + std::to_string(scale) + "; give one above 0");
  }
  std::vector<unsigned char> pixels(static_cast<std::size_t>(cols) * static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    // There is no colour for it, and white would be zero.
    if (std::isnan(values[i])) {
      refuse("row " + std::to_string(i / static_cast<std::size_t>(cols)) + ", column " +
             std::to_string(i % static_cast<std::size_t>(cols)) + " is not a number");
    }
    const float level = std::clamp(values[i] / scale, -1.0F, 1.0F) * middle;
    pixels[i] = static_cast<unsigned char>(middle + std::lround(level));
  }
  Picture picture{cols, rows, palette(), std::move(pixels)};
  for (int x = 0; line >= 0 && line < rows && x < cols; x += 4) {
    picture.at(x, line) = ink;
  }
  // Points of the domain, z downwards: row 0 is z = 0.
  constexpr int apart = 100;
  Axis x{{}, "x"};
  for (int at = 0; at < cols; at += apart) {
    x.marks.push_back({at, at});
  }
  Axis z{{}, "z"};
  for (int at = 0; at < rows; at += apart) {
    z.marks.push_back({rows - 1 - at, at});
  }
  ::write_png(path, with_axes(picture, x, z));
}

}  // namespace stencil
