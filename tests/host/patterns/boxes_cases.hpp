#pragma once

/// Boxes and shells of an array of up to three dimensions at every place, moved by every engine.

#include <dma/patterns/halo3d.hpp>
#include <dma/patterns/tile3d.hpp>

#include "host/patterns/moved_bytes.hpp"

#include <climits>

namespace moved_bytes {

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

inline constexpr int far_places[] = {INT_MIN, INT_MIN + 1, -1'000'000'000, 1'000'000'000, INT_MAX - 1, INT_MAX};

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

}  // namespace moved_bytes
