#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

/// A picture of at most 256 colours, row by row from the top.
struct Picture {
  using Colour = std::array<unsigned char, 3>;  ///< red, green, blue

  int cols;
  int rows;
  std::vector<Colour> colours;
  std::vector<unsigned char> pixels;  ///< indices of colours

  [[nodiscard]] unsigned char& at(int col, int row) {
    return pixels[static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) + static_cast<std::size_t>(col)];
  }
};

/// Writes a picture as PNG.
///
/// @throw std::runtime_error  where the file cannot be written
void write_png(const std::string& path, const Picture& picture);
