#pragma once

#include <dma/proof/ptx/module.hpp>

#include <array>
#include <string_view>

namespace dma::inline v0_1::proof::ptx::detail {

/// Where in tensor memory the registers are that a thread loads or stores, from the first lane and column of its warp's
/// access on: some columns of some rows, which are repeated along the columns. Threads 2 t and 2 t + 1 of `16x64b` have
/// rows that are 8 apart. Of the other shapes of 16 lanes, four threads have neighbouring columns of a row and of the
/// one that is 8 behind it; but threads 16 to 31 of `16x32bx2` have what threads 0 to 15 have, an immediate number of
/// columns further.
///
/// Source  PTX ISA, "Data Movement Shape" of tcgen05
struct TensorFragment {
  static constexpr int row_step = 8;

  int lanes;    ///< that a warp accesses; 0: it is none of these shapes
  int rows;     ///< of the thread
  int columns;  ///< of each row, in a repeat
  int step;     ///< columns from one repeat to the next
  int row = 0;
  int column = 0;

  /// Of a thread of a warp.
  ///
  /// @param second_half  columns from the first half of `16x32bx2` to its second
  [[nodiscard]] static TensorFragment of(const Statement& statement, int thread, int second_half) {
    TensorFragment fragment = shape_of(statement);
    if (fragment.lanes == 32) {
      fragment.row = thread;
    } else if (statement.has("16x32bx2")) {
      fragment.row = thread % 16;
      fragment.column = thread / 16 * second_half;
    } else if (statement.has("16x64b")) {
      fragment.row = thread / 4 + thread % 2 * row_step;
      fragment.column = thread / 2 % 2;
    } else {
      fragment.row = thread / 4;
      fragment.column = thread % 4 * fragment.columns;
    }
    return fragment;
  }
  [[nodiscard]] static bool has_shape(const Statement& statement) { return shape_of(statement).lanes != 0; }

  [[nodiscard]] int registers() const noexcept { return rows * columns; }  ///< of a repeat
  [[nodiscard]] int row_of(int reg) const noexcept { return row + reg % registers() / columns * row_step; }
  [[nodiscard]] int column_of(int reg) const noexcept {
    return column + reg / registers() * step + reg % registers() % columns;
  }

 private:
  [[nodiscard]] static TensorFragment shape_of(const Statement& statement) {
    struct Shape {
      std::string_view word;
      TensorFragment fragment;
    };
    static constexpr std::array<Shape, 5> shapes{{{"32x32b", {32, 1, 1, 1}},
                                                  {"16x32bx2", {16, 1, 1, 1}},
                                                  {"16x64b", {16, 1, 1, 2}},
                                                  {"16x128b", {16, 2, 1, 4}},
                                                  {"16x256b", {16, 2, 2, 8}}}};
    for (const Shape& shape : shapes) {
      if (statement.has(shape.word)) {
        return shape.fragment;
      }
    }
    return {};
  }
};

}  // namespace dma::inline v0_1::proof::ptx::detail
