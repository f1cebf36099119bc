#include "picture.hpp"

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
