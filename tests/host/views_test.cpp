#include <dma/dma.hpp>

#include "kernels/views.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <vector>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

/// What patterns read from a view, with numbers that are written out, and whole kernels over views.

namespace {

constexpr dma::RowLayout up_to_144{.max_pitch_bytes = 144};

}  // namespace

TEST_CASE("a box at a place of a view has the view's extents and pitches", "[views]") {
  std::vector<float> array(6 * 100);
  const views::View<float, 2> rows{array.data(), {6, 90}, {100, 1}};
  const auto box = dma::Tile2D<float, 32, 8>::at(rows, -1, 64);
  REQUIRE((box.pitch_bytes == 400 && box.array_rows == 6 && box.array_cols == 90));
  REQUIRE((box.row == -1 && box.col == 64 && box.fill == 0));

  const views::View<float, 3> planes{array.data(), {2, 3, 90}, {300, 100, 1}};
  const auto volume = dma::Tile3D<float, 16, 4, 2>::at(planes, 1, -2, 48);
  REQUIRE((volume.plane_pitch_bytes == 1200 && volume.pitch_bytes == 400));
  REQUIRE((volume.array_planes == 2 && volume.array_rows == 3 && volume.array_cols == 90));
  REQUIRE((volume.plane == 1 && volume.row == -2 && volume.col == 48));
}

TEST_CASE("rows from a row of a view on are as many as are left", "[views]") {
  std::vector<double> array(20 * 40);
  const views::View<const double, 2> view{array.data(), {20, 36}, {40, 1}};
  const auto expect = [&]<class Tile>(Tile tile, int rows, int cols) {
    REQUIRE((tile.pitch_bytes == 320 && tile.rows == rows && tile.cols == cols));
  };
  using Narrow = dma::Strided<double, 32, 8>;
  using Wide = dma::Strided<double, 64, 8>;
  expect(Narrow::at(view, 0), 8, 32);
  expect(Narrow::at(view, 12), 8, 32);
  expect(Narrow::at(view, 16), 4, 32);
  expect(Narrow::at(view, 20), 0, 32);
  expect(Narrow::at(view, 24), 0, 32);
  expect(Wide::at(view, 13), 7, 36);
  const auto bounded = dma::Strided<double, 16, 8, up_to_144>::at(view, 16);
  expect(bounded, 4, 16);
  REQUIRE(bounded.shared_pitch_bytes == 144);
  static_assert(Narrow::at(views::View<double, 2>{nullptr, {3, 40}, {-40, 1}}, 1).pitch_bytes == -320);
}

TEST_CASE("a view whose last stride is not 1 is refused", "[views][contracts]") {
  std::vector<float> array(64);
  const views::View<float, 2> columns{array.data(), {8, 8}, {1, 8}};
  const views::View<float, 3> planes{array.data(), {2, 4, 4}, {32, 8, 2}};
  const char* const says = "exchange the axes of view and tile [stride ";
  REQUIRE_THROWS_MATCHES((dma::Tile2D<float, 4, 4>::at(columns, 0, 0)), std::logic_error,
                         MessageMatches(ContainsSubstring(says)));
  REQUIRE_THROWS_MATCHES((dma::Strided<float, 4, 4>::at(columns, 0)), std::logic_error,
                         MessageMatches(ContainsSubstring(says)));
  REQUIRE_THROWS_MATCHES((dma::Tile3D<float, 4, 2, 2>::at(planes, 0, 0, 0)), std::logic_error,
                         MessageMatches(ContainsSubstring(says)));
}
