#pragma once

/// What a pass is: at compile time its shape, at run time its problem.

#include "complex.hpp"

namespace fft {

inline constexpr int points_a_thread = 16;  ///< of one column
inline constexpr int points_a_box = 256;    ///< of a column: the most of an axis of a tensor map's box
inline constexpr int pairs_a_thread = 4;    ///< of results, where a pass only untangles them

/// How a tile's columns are in global memory: side by side, so that a row of the tile has one point of each, or each as
/// a run of its own.
enum class Columns { side_by_side, runs };

/// How a tile is loaded: by each thread's own loads to its registers, or by tensor maps to shared memory, a tile ahead.
enum class Loads { registers, ahead };

/// What one round of an exchange moves: parts, the real and then the imaginary ones, in half the shared memory, or
/// whole points, in half the rounds.
enum class Rounds { parts, points };

/// What a pass untangles: its results to those of twice as many real points, or such results, which it loads, to those
/// of the complex points that it goes back to.
enum class Untangles { nothing, results, loaded };

/// A pass, at compile time.
struct PassShape {
  int points;                            ///< of a column: 32 to 8192, a power of two
  int columns;                           ///< of a tile
  int width = 1;                         ///< points that a thread loads and stores at once: 1 or 2
  Columns from = Columns::side_by_side;  ///< as loaded
  Columns to = Columns::side_by_side;    ///< as stored
  int ctas_an_sm = 1;                    ///< that the registers suffice for
  Loads loads = Loads::registers;
  dma::L2Priority l2_of_loads = dma::L2Priority::normal;
  dma::L2Priority l2_of_stores = dma::L2Priority::normal;
  Rounds rounds = Rounds::parts;
  Untangles untangles = Untangles::nothing;

  /// Whether the pass has no butterflies: its columns are pairs of results.
  [[nodiscard]] constexpr bool only_untangles() const { return points == 2; }
  /// Threads that hold one column.
  [[nodiscard]] constexpr int stride() const { return points / points_a_thread; }
  [[nodiscard]] constexpr int threads() const {
    return only_untangles() ? columns / pairs_a_thread : stride() * columns / width;
  }

  [[nodiscard]] constexpr bool operator==(const PassShape&) const = default;
};

/// Where columns are in an array, in points: a batch has groups, a group has blocks of a tile's columns. Column c and
/// point p of a group are at p * pitch + c where columns are side by side, at c * pitch + p where they are runs.
struct Strides {
  long long batch;
  long long group;
  long long pitch;
};

/// What a pass does, at run time.
struct PassProblem {
  const Complex* from;
  Complex* to;
  Strides in;
  Strides out;
  int log_blocks;      ///< logarithm of the blocks of a group
  int log_groups;      ///< logarithm of the groups of a batch
  int columns_in_all;  ///< of a group
  int batches;
  int log_twiddles;  ///< column c's result k is multiplied by exp(-2 pi i c k / 2^log_twiddles)
  float sign_in;     ///< -1: the conjugate of the input is transformed
  float sign_out;    ///< -1: the conjugate of the result is stored
};

/// One of a pass's tiles: columns `first_column` and following of a group of a batch.
struct TilePlace {
  int first_column;
  int group;
  int batch;

  DMA_HOST_DEVICE TilePlace(const PassProblem& problem, int columns, int tile)
      : first_column((tile & ((1 << problem.log_blocks) - 1)) * columns),
        group(tile >> problem.log_blocks & ((1 << problem.log_groups) - 1)),
        batch(tile >> (problem.log_blocks + problem.log_groups)) {}

  /// Points of the array before the place's group.
  [[nodiscard]] DMA_HOST_DEVICE long long offset(const Strides& strides) const {
    return batch * strides.batch + group * strides.group;
  }
};

}  // namespace fft
