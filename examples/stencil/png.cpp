#include "png.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include <png.h>

namespace stencil {
namespace {

constexpr int middle = 120;  ///< the palette's entry for zero; as many on each side
constexpr int ink = 2 * middle + 1;

/// From blue over white to red, and grey for lines.
std::array<png_byte, 3 * (ink + 1)> palette() {
  std::array<png_byte, 3 * (ink + 1)> colours{};
  for (int i = 0; i <= 2 * middle; ++i) {
    const double distance = std::abs(i - middle) / static_cast<double>(middle);
    const auto fade = [&](double end) { return static_cast<png_byte>(std::lround(255 + (end - 255) * distance)); };
    const bool is_above = i > middle;
    const png_byte colour[3] = {fade(is_above ? 178 : 33), fade(is_above ? 24 : 102), fade(is_above ? 43 : 172)};
    std::copy_n(colour, 3, colours.begin() + 3 * i);
  }
  std::fill_n(colours.begin() + 3 * ink, 3, static_cast<png_byte>(120));
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
  std::vector<png_byte> pixels(static_cast<std::size_t>(cols) * static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    // There is no colour for it, and white would be zero.
    if (std::isnan(values[i])) {
      refuse("row " + std::to_string(i / static_cast<std::size_t>(cols)) + ", column " +
             std::to_string(i % static_cast<std::size_t>(cols)) + " is not a number");
    }
    const float level = std::clamp(values[i] / scale, -1.0F, 1.0F) * middle;
    pixels[i] = static_cast<png_byte>(middle + std::lround(level));
  }
  for (int x = 0; line >= 0 && line < rows && x < cols; x += 4) {
    pixels[static_cast<std::size_t>(line) * static_cast<std::size_t>(cols) + static_cast<std::size_t>(x)] = ink;
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(cols);
  image.height = static_cast<png_uint_32>(rows);
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = ink + 1;
  const auto colours = palette();
  if (png_image_write_to_file(&image, path.c_str(), 0, pixels.data(), 0, colours.data()) == 0) {
    throw std::runtime_error("stencil: " + path + " cannot be written: " + image.message);
  }
}

}  // namespace stencil
