#include "picture.hpp"

#include "../png.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

using Catch::Matchers::ContainsSubstring;

TEST_CASE("a picture has no colour for what is not a number", "[png]") {
  const std::string path = (std::filesystem::temp_directory_path() / "stencil_png_test.png").string();
  std::vector<float> values(6, 0.5F);
  REQUIRE_NOTHROW(stencil::write_png(path, 3, 2, values, 1, -1));
  values[4] = std::nanf("");
  REQUIRE_THROWS_WITH(stencil::write_png(path, 3, 2, values, 1, -1),
                      ContainsSubstring("row 1, column 1 is not a number"));
  values[4] = INFINITY;
  REQUIRE_NOTHROW(stencil::write_png(path, 3, 2, values, 1, -1));
  REQUIRE_THROWS_WITH(stencil::write_png(path, 3, 2, values, std::nanf(""), -1), ContainsSubstring("its scale is nan"));
  REQUIRE_THROWS_WITH(stencil::write_png(path, 4, 2, values, 1, -1), ContainsSubstring("6 values for 4 x 2 pixels"));
  std::filesystem::remove(path);
}

TEST_CASE("axes leave a picture as it is and have a mark at each number", "[png]") {
  const Picture plot{3, 2, {{1, 2, 3}, {4, 5, 6}}, {0, 1, 0, 1, 1, 0}};
  Picture framed = with_axes(plot, {{{0, 10}, {2, 12}}, "x"}, {{{1, 7}}, "z"});
  // A letter is 6 pixels wide and 10 high; on the left are a gap, one letter, a gap and a tick of 4.
  constexpr int left = 2 + 6 + 2 + 4;
  constexpr int top = 10 / 2 + 2;
  REQUIRE(framed.colours.size() == 4);
  constexpr int ink = 2;
  for (int row = 0; row < 2; ++row) {
    for (int col = 0; col < 3; ++col) {
      CHECK(framed.at(left + col, top + row) == plot.pixels[static_cast<std::size_t>(row * 3 + col)]);
    }
  }
  CHECK(framed.at(left, top + 2) == ink);
  CHECK(framed.at(left + 1, top + 2) != ink);
  CHECK(framed.at(left + 2, top + 2) == ink);
  CHECK(framed.at(left - 1, top) == ink);
  CHECK(framed.at(left - 1, top + 1) != ink);
  REQUIRE_THROWS_WITH(with_axes(plot, {{}, "y"}, {{}, "z"}), ContainsSubstring("no letter 'y'"));
}
