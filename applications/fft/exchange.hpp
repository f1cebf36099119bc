#pragma once

/// How the threads of a tile exchange points between two butterflies: through shared memory, the real parts first and
/// then, in the same place, the imaginary parts. Padded so that the accesses of a warp have no bank conflicts.

#include "radix.hpp"

namespace fft {

inline constexpr int banks = 32;

/// The least number from `least` on that is `rest` modulo the number of banks.
[[nodiscard]] consteval int next_in_bank(int least, int rest) {
  return least + ((rest - least) % banks + banks) % banks;
}

/// The columns of a point side by side; room for one more point after each 16.
template <int Columns>
struct PointMajor {
  static constexpr int pad = 16;
  [[nodiscard]] static consteval int floats(int points) { return (points + points / pad) * Columns; }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int index(int point, int column) {
    return (point + point / pad) * Columns + column;
  }
};

/// The points of a column side by side; room for one more after each `Pad`, and `Pitch` from a column to the next.
template <int Columns, int Pad, int Pitch>
struct ColumnMajor {
  [[nodiscard]] static consteval int floats(int) { return Columns * Pitch; }
  [[nodiscard]] DMA_HOST_DEVICE static constexpr int index(int point, int column) {
    return column * Pitch + point + point / Pad;
  }
};

/// The points that a thread holds: of item i, points `point + i * PointStep + m * (Points / 16)` of column
/// `column + i * ColumnStep`, for m from 0 to 15.
template <int Points, int PointStep, int ColumnStep>
struct Share {
  static constexpr int stride = Points / points_a_thread;
  static constexpr bool has_adjacent_columns = ColumnStep == 1;

  int point;
  int column;

  [[nodiscard]] DMA_HOST_DEVICE constexpr int point_of(int item) const { return point + item * PointStep; }
  [[nodiscard]] DMA_HOST_DEVICE constexpr int column_of(int item) const { return column + item * ColumnStep; }
};

/// Where a transform's step of radix 16, after steps over `Done` points, leaves result r of the butterfly of `point`:
/// at `first_result(point) + r * Done`.
///
/// Source  Stockham's transform, which leaves the points in order
template <int Done>
[[nodiscard]] DMA_HOST_DEVICE constexpr int first_result(int point) {
  return point / Done * (Done * points_a_thread) + point % Done;
}

/// Gives each thread, instead of the results of a step over `Done` points that `from` describes, the points that `to`
/// describes.
///
/// Indices are the sum of a thread's own part and a constant: no carry from one reaches the padding of the other.
///
/// @tparam is_buffer_free  none of the threads still reads what an exchange before has left in the buffer
/// @param x  item by item, 16 points each
template <class Layout, int Done, Rounds rounds, bool is_buffer_free, int Items, class Threads, class From, class To>
DMA_HOST_DEVICE void exchange(const Threads& threads, float* buffer, Complex (&x)[Items][points_a_thread],
                              const From& from, const To& to) {
  constexpr bool is_wide = From::has_adjacent_columns && To::has_adjacent_columns;
  constexpr int width = is_wide ? Items : 1;
  const auto round = [&]<bool is_free>(std::bool_constant<is_free>, auto part) {
    using Part = std::remove_reference_t<decltype(part(x[0][0]))>;
    using Parts = dma::Vector<Part, width>;
    Part* const parts_in_cta = reinterpret_cast<Part*>(buffer);
    if constexpr (!is_free) {
      threads.sync();
    }
    dma::unrolled<Items / width>([&](auto i) {
      const int first = Layout::index(first_result<Done>(from.point_of(i)), from.column_of(i));
      dma::unrolled<points_a_thread>([&](auto m) {
        Parts parts;
        dma::unrolled<width>([&](auto w) { parts[w] = part(x[i + w][m]); });
        constexpr int at = Layout::index(m * Done, 0);
        *reinterpret_cast<Parts*>(parts_in_cta + first + at) = parts;
      });
    });
    threads.sync();
    dma::unrolled<Items / width>([&](auto i) {
      const int first = Layout::index(to.point_of(i), to.column_of(i));
      dma::unrolled<points_a_thread>([&](auto m) {
        constexpr int at = Layout::index(m * To::stride, 0);
        const Parts parts = *reinterpret_cast<const Parts*>(parts_in_cta + first + at);
        dma::unrolled<width>([&](auto w) { part(x[i + w][m]) = parts[w]; });
      });
    });
  };
  if constexpr (rounds == Rounds::points) {
    round(std::bool_constant<is_buffer_free>{}, [](Complex& point) -> Complex& { return point; });
  } else {
    round(std::bool_constant<is_buffer_free>{}, [](Complex& point) -> float& { return point.re; });
    round(std::bool_constant<false>{}, [](Complex& point) -> float& { return point.im; });
  }
}

}  // namespace fft
