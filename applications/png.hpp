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

/// What stands beside a picture: numbers at so many pixels from its left or lower edge, and their unit behind the last.
struct Axis {
  struct Mark {
    int place;
    int number;
  };

  std::vector<Mark> marks;
  const char* unit;  ///< of the letters H, k, s, x, z
};

/// The picture with both axes, in colours of its own.
///
/// @throw std::invalid_argument  where it has more than 254 colours, or a unit another letter
[[nodiscard]] Picture with_axes(const Picture& plot, const Axis& across, const Axis& up);

/// Writes a picture as PNG.
///
/// @throw std::runtime_error  where the file cannot be written
void write_png(const std::string& path, const Picture& picture);
