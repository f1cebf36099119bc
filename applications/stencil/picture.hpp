#pragma once

#include <string>
#include <vector>

namespace stencil {

/// Writes `rows` rows of `cols` values as a picture: blue below zero, red above, full colour at `-scale` and `scale`.
/// The row `line`, where there is one, is drawn as a line between two media. Axes name every hundredth column x and row
/// z. Throws where the file cannot be written, and for a value that is not a number.
void write_png(const std::string& path, int cols, int rows, const std::vector<float>& values, float scale, int line);

}  // namespace stencil
