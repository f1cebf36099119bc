#pragma once

/// Which points of a tile a thread has, and where the exchanges keep them.

#include "exchange.hpp"
#include "shape.hpp"

namespace fft {

/// The arrangement of a tile in threads and in shared memory that a shape has.
template <PassShape shape>
struct Arrangement {
  static constexpr int points = shape.points;
  static constexpr int columns = shape.columns;
  static constexpr int width = shape.width;
  static constexpr int stride = shape.stride();
  static_assert(points >= 32 && points <= 16384 && (points & (points - 1)) == 0,
                "fft: a pass has 32 to 16384 points, a power of two; divide a transform into several passes");
  static_assert((width == 1 || width == 2) && columns % width == 0 && stride % width == 0,
                "fft: a thread loads 1 or 2 points at once, of as many columns or of one; choose a width of 1 or 2");
  static_assert(shape.threads() % dma::warp_size == 0 && shape.threads() <= 1024,
                "fft: a pass has one thread for each 16 * width points of a tile, of whole warps and at most 1024; "
                "choose another number of columns");
  static_assert(shape.from == Columns::runs || shape.to == Columns::side_by_side,
                "fft: a pass that stores runs loads runs");
  static_assert(shape.untangles == Untangles::nothing || (shape.to == Columns::runs && shape.rounds == Rounds::points),
                "fft: only a pass of whole transforms, with room for their whole points, has both of results k and "
                "points - k; untangle those of others in a pass of their own");
  static_assert(shape.to == Columns::side_by_side || width == 1,
                "fft: a thread of a pass that stores runs has points of one; make its width 1");

  /// Threads of neighbouring columns side by side.
  using BySides = Share<points, 0, 1>;
  [[nodiscard]] DMA_HOST_DEVICE static BySides by_sides(int thread) {
    constexpr int groups = columns / width;
    return {thread / groups, thread % groups * width};
  }

  /// Threads of neighbouring points side by side, each with `width` neighbours. A warp has runs of 128 bytes, of
  /// columns so far apart that the exchange that follows writes to different banks.
  using ByRuns = Share<points, 1, 0>;
  static constexpr int lanes_a_run = (stride < 16 ? stride : 16) / width;
  [[nodiscard]] DMA_HOST_DEVICE static ByRuns by_runs(int thread) {
    if constexpr (shape.to == Columns::runs) {
      return {thread % (stride / width) * width, thread / (stride / width)};
    } else {
      constexpr int runs = dma::warp_size / lanes_a_run;  // of a warp
      constexpr int apart = columns * lanes_a_run * width / 2 < banks ? 1 : columns * lanes_a_run * width / 2 / banks;
      constexpr int warps_a_column = stride / width / lanes_a_run;
      const int warp = thread / dma::warp_size;
      const int run = thread % dma::warp_size / lanes_a_run;
      const int block = warp / warps_a_column;
      return {(warp % warps_a_column * lanes_a_run + thread % lanes_a_run) * width,
              block / apart * (apart * runs) + block % apart + run * apart};
    }
  }

  /// Points whose parts, as an exchange moves them, fill all banks once: so many are between two paddings.
  static constexpr int points_in_banks = shape.rounds == Rounds::points ? banks / 2 : banks;

  /// Where the first exchange keeps the points, and the others. A warp's lanes may span columns where a column has
  /// fewer threads.
  using First = std::conditional_t<
      shape.from == Columns::side_by_side, PointMajor<columns>,
      std::conditional_t<shape.to == Columns::side_by_side,
                         ColumnMajor<columns, points_in_banks,
                                     next_in_bank(points + points / points_in_banks,
                                                  columns < points_in_banks ? points_in_banks / columns : 1)>,
                         ColumnMajor<columns, 16, next_in_bank(points + points / 16, stride % banks)>>>;
  using Later = std::conditional_t<shape.to == Columns::side_by_side, PointMajor<columns>, First>;

  /// Where results are kept to be untangled: without padding, which the mirrored order of a column would not need.
  using Mirrored = ColumnMajor<columns, points, next_in_bank(points, stride % banks)>;

  static constexpr int floats =
      (First::floats(points) > Later::floats(points) ? First::floats(points) : Later::floats(points)) *
      (shape.rounds == Rounds::points ? 2 : 1);

  /// The factors of the second step, of a sixteenth of 16 turns: computed once where there is a thread for each.
  static constexpr int factors = 256;
  static constexpr bool has_factors = points >= factors && shape.threads() >= factors;

  struct Shared {
    alignas(16) float exchange[floats];
    Complex factors_of_second_step[has_factors ? factors : 1];  ///< factor r of point j of 16 at r * 16 + j
  };
};

}  // namespace fft
