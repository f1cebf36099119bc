#pragma once

/// How the rows of a matrix are divided, decided once a matrix from its offsets, on the host.

#include "csr.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <vector>

namespace sparse {

struct Plan {
  int lanes = 0;              ///< of each row, where rows are nearly equally long; 0 where chunks are faster
  bool is_scattered = false;  ///< whether a row's columns are anywhere, as far as that is known
  std::vector<ChunkStart> starts;
  std::vector<SplitRow> split;

  [[nodiscard]] int chunks() const { return static_cast<int>(starts.size()) - 1; }
};

/// The lanes of a row whose nonzeros take each of them about four steps. On an H200 more than 16 were no faster, since
/// the lanes' sums are added up as well.
[[nodiscard]] inline int lanes_for(int nonzeros) {
  int lanes = 1;
  while (lanes < 16 && lanes * 8 <= nonzeros) {
    lanes *= 2;
  }
  return lanes;
}

/// The lanes whose warp needs the fewest instructions for a chunk, about.
[[nodiscard]] inline int lanes_for_chunk(int nonzeros, int rows, int longest) {
  int best = 1;
  int least = 1 << 30;
  for (int lanes = 1, steps = 0; lanes <= 32 && rows > 0; lanes *= 2, ++steps) {
    const int rounds = (rows * lanes + 31) / 32;
    const int mean = (nonzeros / rows + lanes) / lanes;
    const int cost = 3 * longest / lanes + rounds * (3 * mean + 16 + 2 * steps);
    best = cost < least ? lanes : best;
    least = cost < least ? cost : least;
  }
  return best;
}

/// Whether most nonzeros are near neither the one before them nor the one above, in some thousands of rows.
[[nodiscard]] inline bool has_scattered_columns(const Csr& a) {
  constexpr int near = 32;  // elements of x: a line of the L2
  const int step = std::max(1, a.rows / 4096);
  long long scattered = 0;
  long long seen = 0;
  for (int row = 1; row < a.rows; row += step) {
    const int* const own = a.columns + a.offsets[row];
    const int* const above = a.columns + a.offsets[row - 1];
    const int count = a.offsets[row + 1] - a.offsets[row];
    const int count_above = a.offsets[row] - a.offsets[row - 1];
    for (int i = 0; i < count; ++i, ++seen) {
      const bool is_near_row = i > 0 && std::abs(own[i] - own[i - 1]) <= near;
      const bool is_near_above = i < count_above && std::abs(own[i] - above[i]) <= near;
      scattered += is_near_row || is_near_above ? 0 : 1;
    }
  }
  return 2 * scattered > seen;
}

/// @param a  with its offsets in host memory, and its columns too, or null: then the plan knows less. Values are not
///           read
[[nodiscard]] inline Plan make_plan(const Csr& a) {
  Plan plan;
  const long long items = static_cast<long long>(a.rows) + a.nonzeros;
  const int count = static_cast<int>((items + Chunks::items - 1) / Chunks::items);
  int longest_of_all = 0;
  for (int chunk = 0; chunk <= count; ++chunk) {
    plan.starts.push_back(start_at(a, count == 0 ? 0 : items * chunk / count));
    const ChunkStart& next = plan.starts.back();
    if (next.begins_within != 0) {
      if (plan.split.empty() || plan.split.back().row != next.row) {
        plan.split.push_back({next.row, chunk - 1, chunk});
      }
      plan.split.back().last = chunk;
    }
    if (chunk > 0) {
      ChunkStart& start = plan.starts[static_cast<std::size_t>(chunk) - 1];
      int longest = 0;
      for (int row = start.row; row < next.row + next.begins_within; ++row) {
        longest =
            std::max(longest, std::min(a.offsets[row + 1], next.nonzero) - std::max(a.offsets[row], start.nonzero));
        longest_of_all = std::max(longest_of_all, a.offsets[row + 1] - a.offsets[row]);
      }
      start.lanes = lanes_for_chunk(next.nonzero - start.nonzero, next.row - start.row + next.begins_within, longest);
    }
  }
  const int mean = a.rows == 0 ? 0 : (a.nonzeros + a.rows / 2) / a.rows;
  if (longest_of_all <= 2 * mean + 8) {
    plan.lanes = lanes_for(mean);
    plan.is_scattered = a.columns != nullptr && has_scattered_columns(a);
  }
  return plan;
}

}  // namespace sparse
