#include <dma/host/laws.hpp>
#include <dma/patterns/halo2d.hpp>
#include <dma/patterns/halo3d.hpp>
#include <dma/patterns/tile2d.hpp>
#include <dma/patterns/tile3d.hpp>

#include "host/patterns/boxes_cases.hpp"
#include "host/patterns/moved_bytes.hpp"

#include <cstdint>

using namespace moved_bytes;

namespace {

template <class T, int Cols, int Rows, int PitchBytes, int Alignment>
void check_tile2d(auto& bench, const T& fill) {
  constexpr int size = sizeof(T);
  constexpr int step = Alignment > size ? Alignment / size : 1;  // columns on which a box may begin
  const Array array{1, Rows + 3, Cols + 4 * step, (Cols + 5 * step) * static_cast<long long>(size), 0};
  const auto check_at = [&](int row, int col) {
    Expectation expected;
    for (int r = 0; r < Rows; ++r) {
      for (int c = 0; c < Cols; ++c) {
        array.expect(expected, 0, 1LL * row + r, 1LL * col + c, r * PitchBytes + c * size, fill);
      }
    }
    check_box(bench,
              dma::Tile2D<T, Cols, Rows, dma::RowLayout{PitchBytes, Alignment}>{array.pitch, array.rows, array.cols,
                                                                                row, col, fill},
              expected);
  };
  for (int row = -Rows - 1; row <= array.rows + 1; ++row) {
    for (int col = -(Cols / step + 1) * step; col <= array.cols + step; col += step) {
      check_at(row, col);
    }
  }
  for (const int place : far_places) {
    check_at(place, 0);
    check_at(0, place);
    check_at(place, place);
  }
}

template <class T, int Cols, int Rows, int Radius, dma::Corners corners>
void check_halo2d(auto& bench, const T& fill) {
  constexpr int size = sizeof(T);
  const Array array{1, 2 * Rows + 3, 2 * Cols + 2, (2 * Cols + 5) * static_cast<long long>(size), 0};
  for (int row = -Rows - 2 * Radius; row <= array.rows + Radius; ++row) {
    for (int col = -Cols - 2 * Radius; col <= array.cols + Radius; col += 2) {
      Expectation expected;
      for (int r = -Radius; r < Rows + Radius; ++r) {
        for (int c = -Radius; c < Cols + Radius; ++c) {
          const int axes_beside = (r < 0 || r >= Rows) + (c < 0 || c >= Cols);
          if (axes_beside == 1 || (axes_beside == 2 && corners == dma::Corners::included)) {
            array.expect(expected, 0, row + r, col + c, ((r + Radius) * (Cols + 2 * Radius) + c + Radius) * size, fill);
          }
        }
      }
      check_box(bench,
                dma::Halo2D<T, dma::HaloShape{.cols = Cols, .rows = Rows, .radius = Radius, .corners = corners}>{
                    array.pitch, array.rows, array.cols, row, col, fill},
                expected);
    }
  }
}

}  // namespace

TEST_CASE("boxes are clipped at every edge of their array and filled outside it", "[laws]") {
  Benches benches(256 * 1024);
  check_tile2d<std::uint8_t, 9, 5, 11, 1>(benches.one, 7);
  check_tile2d<std::uint8_t, 32, 6, 48, 16>(benches.three, 200);
  check_tile2d<std::uint16_t, 20, 16, 40, 2>(benches.eight, 60000);
  check_tile2d<Rgb, 6, 6, 18, 1>(benches.one, Rgb{1, 2, 3});
  check_tile2d<float, 8, 6, 32, 4>(benches.three, -2.5F);
  check_tile2d<float, 16, 12, 80, 16>(benches.eight, 1.0F);
  check_tile2d<float, 40, 9, 160, 4>(benches.one, 5.0F);
  check_tile2d<double, 5, 7, 40, 8>(benches.three, 3.25);
  check_tile2d<Vector3, 7, 5, 96, 4>(benches.eight, Vector3{1, 2, 3});
  check_tile2d<Quad, 6, 5, 96, 16>(benches.one, Quad{1, 2, 3, 4});
  check_tile2d<Block<48>, 3, 4, 144, 16>(benches.three, Block<48>{{9}});
  check_tile2d<Block<100>, 3, 4, 300, 4>(benches.eight, Block<100>{{8, 7}});
  check_tile2d<Block<256>, 2, 3, 768, 16>(benches.one, Block<256>{{6}});
  check_tile2d<Block<1000>, 2, 2, 2000, 8>(benches.three, Block<1000>{{5, 4}});
  check_tile2d<Block<4096>, 2, 2, 8192, 16>(benches.eight, Block<4096>{{3, 2}});
  REQUIRE(benches.cases() >= at_least::tile2d);
}

TEST_CASE("a halo is the ring around its tile, of any radius, with its corners and without", "[laws]") {
  constexpr auto with = dma::Corners::included;
  constexpr auto without = dma::Corners::excluded;
  Benches benches(256 * 1024);
  check_halo2d<float, 8, 6, 1, with>(benches.one, -1.0F);
  check_halo2d<float, 8, 6, 2, without>(benches.three, -1.0F);
  check_halo2d<float, 9, 5, 3, with>(benches.eight, -1.0F);
  check_halo2d<float, 16, 5, 4, with>(benches.one, 2.5F);
  check_halo2d<float, 7, 9, 5, without>(benches.three, 2.5F);
  check_halo2d<float, 4, 4, 6, with>(benches.eight, 2.5F);
  check_halo2d<std::uint16_t, 11, 3, 7, without>(benches.one, 60000);
  check_halo2d<double, 7, 9, 8, without>(benches.three, 0.5);
  check_halo2d<std::uint8_t, 5, 4, 3, with>(benches.eight, 9);
  check_halo2d<Rgb, 5, 4, 2, with>(benches.one, Rgb{1, 2, 3});
  check_halo2d<Vector3, 4, 6, 2, without>(benches.three, Vector3{1, 2, 3});
  check_halo2d<Quad, 4, 6, 3, with>(benches.eight, Quad{1, 2, 3, 4});
  check_halo2d<Block<48>, 3, 3, 2, with>(benches.one, Block<48>{{9}});
  check_halo2d<Block<1000>, 2, 2, 1, without>(benches.three, Block<1000>{{9}});
  REQUIRE(benches.cases() >= at_least::halo2d);
  REQUIRE(dma::host::broken_law(
              dma::Halo2D<float, dma::HaloShape{.cols = 8, .rows = 6, .radius = 2}>{80, 20, 20, 5, 5}) == "");
}

// Of other elements and radii: tests/release.
TEST_CASE("boxes and shells of planes arrive and leave whole, at every edge of their array", "[laws]") {
  Benches benches(512 * 1024);
  check_tile3d<Rgb, 3, 4, 3, 12, 51, 1>(benches.eight, Rgb{1, 2, 3});
  check_tile3d<float, 16, 4, 5, 80, 336, 16>(benches.three, 1.0F);
  check_tile3d<Block<100>, 2, 2, 3, 200, 500, 4>(benches.one, Block<100>{{8, 7}});
  check_halo3d<float, 8, 6, 4, 1, dma::Corners::included>(benches.one, -1.0F);
  check_halo3d<Vector3, 4, 2, 3, 2, dma::Corners::excluded>(benches.eight, Vector3{1, 2, 3});
  REQUIRE(benches.cases() >= 49'000);
}

TEST_CASE("an element of a box and of a shell has the index at which coordinates put it", "[laws]") {
  using Box = dma::Tile3D<float, dma::TileShape{.cols = 8, .rows = 4, .planes = 3},
                          dma::RowLayout{.pitch_bytes = 48, .plane_pitch_bytes = 200}>;
  STATIC_REQUIRE(Box::index(2, 3, 5) == 2 * 50 + 3 * 12 + 5);
  STATIC_REQUIRE(Box::run_alignment == 8);
  using Shell = dma::Halo3D<float, dma::HaloShape{.cols = 8, .rows = 4, .planes = 3, .radius = 2}>;
  STATIC_REQUIRE(Shell::index(-2, -2, -2) == 0);
  STATIC_REQUIRE(Shell::index(4, 5, 9) == Shell::tile_bytes / 4 - 1);
}
