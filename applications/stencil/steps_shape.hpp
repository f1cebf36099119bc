#pragma once

/// The shape of `Steps`: what its groups of warps have, and how rows are laid out in shared memory and dealt to
/// threads.

namespace stencil {

/// What the warps of a step have.
struct StepShape {
  int warps;
  int rows_a_thread;
  int registers;
};

/// The numbers to tune, see tuning.hpp.
struct StepsShape {
  int vectors;  ///< of 16 bytes in a row of the tile
  int rows;     ///< of the tile
  StepShape first;
  StepShape second;
  StepShape third = {};  ///< or no warps: two steps
  int dma_registers = 40;
  int stages = 6;  ///< planes in flight
  int slots = 3;   ///< planes of a step between two groups
  int slack = 8;   ///< planes that a CTA may be ahead of another
  int cost = 100;  ///< time for a point, where `March` takes 100

  [[nodiscard]] constexpr int steps() const { return third.warps > 0 ? 3 : 2; }
  [[nodiscard]] constexpr StepShape step(int s) const { return s == 0 ? first : s == 1 ? second : third; }
};

/// What each step reads and computes, and how rows are laid out in shared memory and dealt to threads.
struct StepsRows {
  int rows[3];     ///< that a step computes
  int vectors[3];  ///< and vectors in each
  int beside[3];   ///< of these left of the tile, and right of it
  int threads[3];  ///< a row of it; those beyond its vectors are idle
  int pitch[3];    ///< vectors from one row of what it reads to the next
  int left;        ///< vectors left of the tile in what the first step reads

  /// Chooses pitches and threads such that threads which follow one another read and store different banks where a row
  /// of threads ends, too; if possible such that planes begin at whole sectors of 32 bytes. Leaves the least ones where
  /// there are none.
  constexpr StepsRows(const StepsShape& shape, int star_radius, int width)
      : rows{}, vectors{}, beside{}, threads{}, pitch{}, left(0) {
    for (int s = 0; s < shape.steps(); ++s) {
      const int halo = (shape.steps() - 1 - s) * star_radius;
      beside[s] = (halo + width - 1) / width;
      rows[s] = shape.rows + 2 * halo;
      vectors[s] = shape.vectors + 2 * beside[s];
    }
    const int side = (shape.steps() * star_radius + width - 1) / width;
    const int whole_sectors = (side + 1) / 2 * 2;
    for (const int some_left : {whole_sectors, side}) {
      left = some_left;
      for (const int more : {0, 1}) {
        pitch[0] = left + shape.vectors + side + more;
        if (choose(shape, 0)) {
          return;
        }
      }
    }
    left = whole_sectors;
    for (int s = 0; s < shape.steps(); ++s) {
      threads[s] = vectors[s];
      pitch[s] = s == 0 ? left + shape.vectors + side : vectors[s - 1];
    }
  }

  [[nodiscard]] static constexpr int bands(int rows, const StepShape& step) {
    return (rows + step.rows_a_thread - 1) / step.rows_a_thread;
  }

 private:
  /// The threads of step `s`, whose pitch is chosen, and what comes after.
  [[nodiscard]] constexpr bool choose(const StepsShape& shape, int s) {
    constexpr int banks = 8;  // of 16 bytes
    const StepShape step = shape.step(s);
    const auto follow = [&](int some_pitch) {
      return threads[s] % banks == 0 || (step.rows_a_thread * some_pitch - threads[s]) % banks == 0;
    };
    for (threads[s] = vectors[s]; threads[s] * bands(rows[s], step) <= step.warps * 32; ++threads[s]) {
      if (follow(pitch[s])) {
        if (s + 1 == shape.steps()) {
          return true;
        }
        for (pitch[s + 1] = vectors[s]; pitch[s + 1] < vectors[s] + banks; ++pitch[s + 1]) {
          if (follow(pitch[s + 1]) && choose(shape, s + 1)) {
            return true;
          }
        }
      }
    }
    return false;
  }
};

}  // namespace stencil
