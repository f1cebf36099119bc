#include <dma/host/laws.hpp>
#include <dma/patterns/halo2d.hpp>
#include <dma/patterns/halo3d.hpp>
#include <dma/patterns/tile2d.hpp>
#include <dma/patterns/tile3d.hpp>

#include "host/patterns/moved_bytes.hpp"

#include <climits>
#include <cstdint>

using namespace moved_bytes;

namespace {

/// A pitched array of up to three dimensions, as coordinates have it.
struct Array {
  int planes;
  int rows;
  int cols;
  long long pitch;
  long long plane_pitch;

  /// Expects an element at a place of the array that may be outside.
  template <class T>
  void expect(Expectation& expected, long long plane, long long row, long long col, int shared, const T& fill) const {
    constexpr int size = sizeof(T);
    if (plane >= 0 && plane < planes && row >= 0 && row < rows && col >= 0 && col < cols) {
      expected.element(plane * plane_pitch + row * pitch + col * size, shared, size);
    } else {
      expected.fill(shared, fill);
    }
  }
};

template <class Pattern>
void check_box(auto& bench, const Pattern& pattern, const Expectation& expected) {
  REQUIRE(pattern.is_valid());
  REQUIRE(pattern.is_full() == expected.fills.empty());
  bench.check(pattern, 1, expected);
}

constexpr int far_places[] = {INT_MIN, INT_MIN + 1, -1'000'000'000, 1'000'000'000, INT_MAX - 1, INT_MAX};

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

template <class T, int Cols, int Rows, int Planes, int PitchBytes, int PlanePitchBytes, int Alignment>
void check_tile3d(auto& bench, const T& fill) {
  constexpr int size = sizeof(T);
  constexpr int step = Alignment > size ? Alignment / size : 1;
  using Pattern =
      dma::Tile3D<T, dma::TileShape{.cols = Cols, .rows = Rows, .planes = Planes},
                  dma::RowLayout{
                      .pitch_bytes = PitchBytes, .alignment = Alignment, .plane_pitch_bytes = PlanePitchBytes}>;
  // Planes that are no whole number of rows apart.
  Array array{Planes + 2, Rows + 2, Cols + 3 * step, (Cols + 4 * step) * static_cast<long long>(size), 0};
  array.plane_pitch = array.rows * array.pitch + 3 * step * size;
  const auto check_at = [&](int plane, int row, int col) {
    Expectation expected;
    for (int p = 0; p < Planes; ++p) {
      for (int r = 0; r < Rows; ++r) {
        for (int c = 0; c < Cols; ++c) {
          array.expect(expected, 1LL * plane + p, 1LL * row + r, 1LL * col + c,
                       p * PlanePitchBytes + r * PitchBytes + c * size, fill);
        }
      }
    }
    check_box(bench,
              Pattern{array.pitch, array.plane_pitch, array.planes, array.rows, array.cols, plane, row, col, fill},
              expected);
  };
  for (int plane = -Planes - 1; plane <= array.planes; ++plane) {
    for (int row = -Rows - 1; row <= array.rows; ++row) {
      for (int col = -(Cols / step + 1) * step; col <= array.cols; col += step) {
        check_at(plane, row, col);
      }
    }
  }
  for (const int place : far_places) {
    check_at(place, 0, 0);
    check_at(0, place, 0);
    check_at(0, 0, place);
    check_at(place, place, place);
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

template <class T, int Cols, int Rows, int Planes, int Radius, dma::Corners corners>
void check_halo3d(auto& bench, const T& fill) {
  constexpr int size = sizeof(T);
  Array array{Planes + 4, Rows + 5, Cols + 3, (Cols + 4) * static_cast<long long>(size), 0};
  array.plane_pitch = array.rows * array.pitch + 5 * size;
  for (int plane = -Planes - Radius - 1; plane <= array.planes + Radius; plane += 2) {
    for (int row = -Rows - Radius - 1; row <= array.rows + Radius; row += 2) {
      for (int col = -Cols - Radius - 1; col <= array.cols + Radius; col += 2) {
        Expectation expected;
        int shared = 0;
        for (int p = -Radius; p < Planes + Radius; ++p) {
          for (int r = -Radius; r < Rows + Radius; ++r) {
            for (int c = -Radius; c < Cols + Radius; ++c, shared += size) {
              const int axes_beside = (p < 0 || p >= Planes) + (r < 0 || r >= Rows) + (c < 0 || c >= Cols);
              if (axes_beside == 1 || (axes_beside > 1 && corners == dma::Corners::included)) {
                array.expect(expected, plane + p, row + r, col + c, shared, fill);
              }
            }
          }
        }
        check_box(
            bench,
            dma::Halo3D<
                T, dma::HaloShape{.cols = Cols, .rows = Rows, .planes = Planes, .radius = Radius, .corners = corners}>{
                array.pitch, array.plane_pitch, array.planes, array.rows, array.cols, plane, row, col, fill},
            expected);
      }
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

TEST_CASE("boxes of planes are clipped at every edge of their array and filled outside it", "[laws]") {
  Benches benches(512 * 1024);
  check_tile3d<std::uint8_t, 5, 3, 4, 7, 23, 1>(benches.one, 7);
  check_tile3d<std::uint16_t, 6, 4, 3, 12, 48, 2>(benches.three, 60000);
  check_tile3d<Rgb, 3, 4, 3, 12, 51, 1>(benches.eight, Rgb{1, 2, 3});
  check_tile3d<float, 8, 4, 4, 32, 128, 4>(benches.one, -2.5F);
  check_tile3d<float, 16, 4, 5, 80, 336, 16>(benches.three, 1.0F);
  check_tile3d<double, 3, 5, 4, 24, 136, 8>(benches.eight, 3.25);
  check_tile3d<Vector3, 3, 3, 3, 36, 108, 4>(benches.one, Vector3{1, 2, 3});
  check_tile3d<Quad, 3, 4, 3, 64, 240, 16>(benches.three, Quad{1, 2, 3, 4});
  check_tile3d<Block<48>, 2, 3, 3, 96, 288, 16>(benches.eight, Block<48>{{9}});
  check_tile3d<Block<100>, 2, 2, 3, 200, 500, 4>(benches.one, Block<100>{{8, 7}});
  check_tile3d<Block<256>, 1, 2, 3, 256, 512, 16>(benches.three, Block<256>{{6}});
  check_tile3d<Block<1000>, 2, 1, 3, 2000, 3000, 8>(benches.eight, Block<1000>{{5, 4}});
  check_tile3d<Block<4096>, 1, 2, 2, 4096, 8192, 16>(benches.one, Block<4096>{{3, 2}});
  REQUIRE(benches.cases() >= at_least::tile3d);
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

TEST_CASE("a shell surrounds its tile in three dimensions, with corners or as six faces", "[laws]") {
  constexpr auto with = dma::Corners::included;
  constexpr auto without = dma::Corners::excluded;
  Benches benches(256 * 1024);
  check_halo3d<float, 8, 6, 4, 1, with>(benches.one, -1.0F);
  check_halo3d<float, 5, 4, 3, 2, without>(benches.three, -1.0F);
  check_halo3d<float, 4, 5, 2, 3, with>(benches.eight, 2.5F);
  check_halo3d<float, 2, 2, 2, 4, without>(benches.one, 2.5F);
  check_halo3d<std::uint8_t, 5, 4, 3, 1, without>(benches.three, 9);
  check_halo3d<std::uint16_t, 3, 3, 3, 2, with>(benches.eight, 60000);
  check_halo3d<double, 4, 4, 4, 2, with>(benches.one, 0.5);
  check_halo3d<Rgb, 3, 4, 2, 1, with>(benches.three, Rgb{1, 2, 3});
  check_halo3d<Vector3, 4, 2, 3, 2, without>(benches.eight, Vector3{1, 2, 3});
  check_halo3d<Quad, 3, 2, 3, 1, with>(benches.one, Quad{1, 2, 3, 4});
  check_halo3d<Block<48>, 2, 2, 2, 1, without>(benches.three, Block<48>{{9}});
  check_halo3d<Block<256>, 1, 2, 1, 1, with>(benches.eight, Block<256>{{9}});
  REQUIRE(benches.cases() >= at_least::halo3d);
  REQUIRE(dma::host::broken_law(dma::Halo3D<float, dma::HaloShape{.cols = 8, .rows = 6, .planes = 4, .radius = 2}>{
              80, 1600, 20, 20, 20, 5, 5, 5}) == "");
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
