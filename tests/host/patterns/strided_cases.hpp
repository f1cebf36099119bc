#pragma once

/// Blocks of every size that a `Strided` may have, each at several pitches, moved by every engine.

#include <dma/patterns/strided.hpp>

#include "host/patterns/moved_bytes.hpp"

namespace moved_bytes {

template <class T, int Cols, int Rows, int PitchBytes, int Alignment>
void check_strided(auto& bench) {
  constexpr int size = sizeof(T);
  const long long unit = Alignment;
  const long long closest = (Cols * size + unit - 1) / unit * unit;
  for (const long long wider : {0LL, unit, 2 * unit, 5 * unit, -2 * closest, -2 * closest - 3 * unit}) {
    const long long pitch = closest + wider;
    for (int rows = 0; rows <= Rows; ++rows) {
      for (int cols = 0; cols <= Cols; ++cols) {
        if (cols * size % Alignment != 0 && rows > 1 && cols < Cols && (rows + cols) % 5 != 0) {
          continue;  // of the many that end between two multiples of the alignment, some
        }
        Expectation expected;
        for (int row = 0; row < rows; ++row) {
          expected.element(row * pitch, row * PitchBytes, cols * size);
        }
        bench.check(dma::Strided<T, Cols, Rows, dma::RowLayout{PitchBytes, Alignment}>{pitch, rows, cols}, 1, expected);
      }
    }
  }
}

}  // namespace moved_bytes
