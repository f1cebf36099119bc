#include <dma/explain/explain.hpp>
#include <dma/host/laws.hpp>
#include <dma/patterns/indirect.hpp>
#include <dma/patterns/strided.hpp>
#include <dma/patterns/tile2d.hpp>
#include <dma/patterns/tile3d.hpp>

#include "host/patterns/moved_bytes.hpp"
#include "kernels/shapes.hpp"

#include <cstdint>
#include <vector>

using namespace moved_bytes;

namespace {

constexpr auto by_32 = dma::Swizzle::bytes_32;
constexpr auto by_64 = dma::Swizzle::bytes_64;
constexpr auto by_128 = dma::Swizzle::bytes_128;

template <class Pattern>
void check_shape(auto& bench, const Pattern& pattern) {
  Expectation expected;
  shapes::visit(
      pattern, [&](long long global, int shared, int bytes) { expected.element(global, shared, bytes); },
      [&](int shared, const auto& value) { expected.fill(shared, value); });
  REQUIRE(pattern.is_valid());
  bench.check(pattern, 1, expected);
}

template <class T, int Cols, int Rows, dma::Swizzle swizzle, int PitchBytes = 0>
void check_strided(auto& bench) {
  constexpr int size = sizeof(T);
  constexpr int step = 16 / size;
  using Pattern = dma::Strided<T, Cols, Rows, dma::RowLayout{.pitch_bytes = PitchBytes, .swizzle = swizzle}>;
  for (const long long pitch : {Cols * size + 0LL, Cols * size + 48LL, -Cols * size - 16LL}) {
    for (int rows = 0; rows <= Rows; ++rows) {
      for (int cols = 0; cols <= Cols; cols += step) {
        check_shape(bench, Pattern{pitch, rows, cols});
      }
    }
  }
}

template <class T, int Cols, int Rows, dma::Swizzle swizzle>
void check_indirect(auto& bench) {
  constexpr int size = sizeof(T);
  std::vector<int> indices;
  for (int i = 0; i < 3 * Rows; ++i) {
    indices.push_back(i * 7 % (3 * Rows + 1));
  }
  using Pattern = dma::Indirect<T, Cols, Rows, dma::RowLayout{.swizzle = swizzle}>;
  for (const long long pitch : {Cols * size + 0LL, Cols * size + 32LL}) {
    for (int rows = 0; rows <= Rows; ++rows) {
      for (int first = 0; first < Rows; ++first) {
        check_shape(bench, Pattern{indices.data() + first, 3 * Rows + 1, pitch, rows});
      }
    }
  }
}

template <class T, int Cols, int Rows, dma::Swizzle swizzle>
void check_tile2d(auto& bench, const T& fill) {
  constexpr int size = sizeof(T);
  constexpr int step = 16 / size;
  const int array_cols = Cols + 3 * step;
  for (int row = -Rows - 1; row <= Rows + 3; ++row) {
    for (int col = -Cols - step; col <= array_cols + step; col += step) {
      check_shape(bench, dma::Tile2D<T, Cols, Rows, dma::RowLayout{.swizzle = swizzle}>{
                             (array_cols + step) * static_cast<long long>(size), Rows + 2, array_cols, row, col, fill});
    }
  }
}

template <class T, int Cols, int Rows, int Planes, dma::Swizzle swizzle, int PlanePitchBytes = 0>
void check_tile3d(auto& bench, const T& fill) {
  constexpr int size = sizeof(T);
  constexpr int step = 16 / size;
  using Pattern = dma::Tile3D<T, dma::TileShape{.cols = Cols, .rows = Rows, .planes = Planes},
                              dma::RowLayout{.swizzle = swizzle, .plane_pitch_bytes = PlanePitchBytes}>;
  const int array_cols = Cols + 2 * step;
  const long long pitch = (array_cols + step) * static_cast<long long>(size);
  for (int plane = -Planes; plane <= Planes + 1; ++plane) {
    for (int row = -Rows; row <= Rows + 2; ++row) {
      for (int col = -Cols - step; col <= array_cols + step; col += step) {
        check_shape(bench,
                    Pattern{pitch, (Rows + 2) * pitch + 16, Planes + 1, Rows + 1, array_cols, plane, row, col, fill});
      }
    }
  }
}

/// The turns that a warp takes to read the first 16 bytes of its tile's first 32 rows.
template <class Tile>
constexpr int turns_for_a_column() {
  dma::WarpAccess access;
  for (int lane = 0; lane < 32; ++lane) {
    access.add({0, Tile::index(lane, 0) * Tile::Tile::element_bytes, 16});
  }
  return access.bank_conflict_degree();
}

template <dma::Swizzle swizzle>
bool is_swizzled_by_address_bits() {
  bool is_right = true;
  for (int offset = 0; offset < 4096; ++offset) {
    const int place = dma::detail::swizzled(swizzle, offset);
    is_right =
        is_right && place == shapes::hardware_place(swizzle, offset) && dma::detail::swizzled(swizzle, place) == offset;
  }
  return is_right;
}

}  // namespace

TEST_CASE("swizzled tiles of every shape arrive and leave whole, each chunk in its own place", "[laws]") {
  Benches benches(256 * 1024);
  check_strided<float, 32, 40, by_128>(benches.one);
  check_strided<float, 32, 40, by_64>(benches.three);
  check_strided<float, 32, 40, by_32>(benches.eight);
  check_strided<float, 4, 64, by_128>(benches.one);
  check_strided<float, 12, 33, by_64, 80>(benches.three);
  check_strided<std::uint8_t, 48, 40, by_128>(benches.eight);
  check_strided<std::uint16_t, 64, 24, by_128, 144>(benches.one);
  check_strided<double, 8, 40, by_64>(benches.three);
  check_strided<Quad, 2, 64, by_32>(benches.eight);
  check_strided<Quad, 16, 20, by_128>(benches.one);
  check_strided<Block<2>, 256, 9, by_128>(benches.three);
  check_indirect<float, 32, 32, by_128>(benches.eight);
  check_indirect<double, 4, 24, by_32>(benches.one);
  check_indirect<std::uint8_t, 64, 24, by_64>(benches.three);
  check_tile2d<float, 32, 9, by_128>(benches.eight, 1.5F);
  check_tile2d<std::uint16_t, 24, 6, by_64>(benches.one, 40000);
  check_tile2d<std::uint8_t, 32, 6, by_32>(benches.three, 77);
  check_tile2d<Quad, 8, 7, by_128>(benches.eight, Quad{1, 2, 3, 4});
  check_tile3d<float, 32, 3, 3, by_128>(benches.one, 1.5F);
  check_tile3d<float, 16, 4, 3, by_64, 272>(benches.three, 1.5F);
  check_tile3d<double, 4, 5, 2, by_32>(benches.eight, 2.5);
  REQUIRE(benches.cases() >= at_least::swizzled);
}

TEST_CASE("a swizzle moves chunks as address bits say, and back", "[laws]") {
  REQUIRE(is_swizzled_by_address_bits<by_32>());
  REQUIRE(is_swizzled_by_address_bits<by_64>());
  REQUIRE(is_swizzled_by_address_bits<by_128>());
  REQUIRE(is_swizzled_by_address_bits<dma::Swizzle::none>());
}

TEST_CASE("an element of a swizzled tile has the index at which its bytes arrive", "[laws]") {
  using Rows = dma::Strided<float, 32, 16, dma::RowLayout{.swizzle = by_128}>;
  using Box = dma::Tile2D<float, 32, 16, dma::RowLayout{.swizzle = by_64}>;
  using Volume =
      dma::Tile3D<float, dma::TileShape{.cols = 16, .rows = 4, .planes = 4}, dma::RowLayout{.swizzle = by_32}>;
  for (int r = 0; r < 16; ++r) {
    for (int c = 0; c < 32; ++c) {
      REQUIRE(Rows::index(r, c) == shapes::hardware_place(by_128, (r * 32 + c) * 4) / 4);
      REQUIRE(Box::index(r, c) == shapes::hardware_place(by_64, (r * 32 + c) * 4) / 4);
      REQUIRE(Volume::index(r / 4, r % 4, c / 2) == shapes::hardware_place(by_32, (r * 16 + c / 2) * 4) / 4);
    }
  }
}

TEST_CASE("a swizzled tile is uniform, not affine, and names what its address must be a multiple of", "[laws]") {
  using Dense = dma::Tile2D<float, 32, 32>;
  using Swizzled = dma::Tile2D<float, 32, 32, dma::RowLayout{.swizzle = by_128}>;
  STATIC_REQUIRE(dma::AffinePattern<Dense>);
  STATIC_REQUIRE(dma::UniformPattern<Swizzled>);
  STATIC_REQUIRE_FALSE(dma::AffinePattern<Swizzled>);
  STATIC_REQUIRE(Swizzled::run_alignment == 16);
  STATIC_REQUIRE(Swizzled::max_run_count == 32 * 8);
  STATIC_REQUIRE(Dense::traits.tile_alignment == 128);
  STATIC_REQUIRE(Swizzled::traits.tile_alignment == 1024);
  STATIC_REQUIRE(dma::Strided<float, 32, 32, dma::RowLayout{.swizzle = by_64}>::traits.tile_alignment == 512);
  STATIC_REQUIRE(dma::Indirect<float, 32, 32, dma::RowLayout{.swizzle = by_32}>::traits.tile_alignment == 256);
  REQUIRE(dma::host::broken_law(Swizzled{256, 40, 40, 20, 12}) == "");
}

TEST_CASE("a column of 16-byte chunks is in one bank of a dense tile and in all banks of a swizzled one", "[laws]") {
  using Dense = dma::Strided<float, 32, 32>;
  using By128 = dma::Strided<float, 32, 32, dma::RowLayout{.swizzle = by_128}>;
  using By64 = dma::Strided<float, 16, 32, dma::RowLayout{.swizzle = by_64}>;
  using By32 = dma::Strided<float, 8, 32, dma::RowLayout{.swizzle = by_32}>;
  STATIC_REQUIRE(turns_for_a_column<Dense>() == 8);
  STATIC_REQUIRE(turns_for_a_column<By128>() == 1);
  STATIC_REQUIRE(turns_for_a_column<dma::Strided<float, 16, 32>>() == 4);
  STATIC_REQUIRE(turns_for_a_column<By64>() == 1);
  STATIC_REQUIRE(turns_for_a_column<dma::Strided<float, 8, 32>>() == 2);
  STATIC_REQUIRE(turns_for_a_column<By32>() == 1);
}
