#pragma once

/// The shapes that `March` has, by element and radius, and how a domain is cut for them.

#include "march.hpp"

namespace stencil {

/// Of 32-bit registers, the sums of a thread take 2 * radius for each word of its points: 128 are what 232 leave room
/// for beside the values at hand.
template <class T, int Radius>
[[nodiscard]] constexpr MarchShape march_shape() {
  constexpr int cols = 32 * Vec<T>::width;
  constexpr int rows_a_thread = Radius <= 4 ? 4 : 2;
  return {.cols = cols, .rows_a_thread = rows_a_thread, .stages = 7, .slack = 3};
}

/// Chunks that a domain's columns are cut into. A round of CTAs takes as long as the planes of a chunk and the
/// 2 * radius that it reads beside them; the chunks that make the rounds shortest are the best, and of those the
/// fewest.
[[nodiscard]] constexpr int best_chunks(int columns, int nz, int radius, int ctas) {
  int best = 1;
  long long shortest = -1;
  for (int chunks = 1; chunks <= 16 && chunks <= nz; ++chunks) {
    const long long rounds = (static_cast<long long>(columns) * chunks + ctas - 1) / ctas;
    const long long planes = rounds * ((nz + chunks - 1) / chunks + 2 * radius);
    if (shortest < 0 || planes < shortest) {
      best = chunks;
      shortest = planes;
    }
  }
  return best;
}

/// The partition of a domain for a kernel, and the CTAs that share it evenly.
struct Plan {
  Partition work;
  int ctas;
};
template <class Kernel>
[[nodiscard]] constexpr Plan plan(int nx, int ny, int nz, int radius, int sms) {
  const int columns = partition(nx, ny, nz, Kernel::cols, Kernel::rows, 1).items();
  const Partition work = partition(nx, ny, nz, Kernel::cols, Kernel::rows, best_chunks(columns, nz, radius, sms));
  const int rounds = (work.items() + sms - 1) / sms;
  return {work, (work.items() + rounds - 1) / rounds};
}

}  // namespace stencil
