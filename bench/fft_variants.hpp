#pragma once

/// Variants of one pass over 2^24 points, after the 48 of SC'11, section 6.3: columns of a tile, points that a thread
/// loads at once, CTAs an SM, exchange, L2 priority, loads. Compiled in parts.

#include "fft_pass.hpp"

#include <dma/tune/tune.hpp>
#include <dma/tune/variant_space.hpp>

#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace fft {

/// A shape as C++, for `dma::tuning::tune`: what the variants of a pass differ in.
[[nodiscard]] inline std::string to_text(const PassShape& shape) {
  return "fft::PassShape{.points = " + std::to_string(shape.points) + ", .columns = " + std::to_string(shape.columns) +
         ", .width = " + std::to_string(shape.width) +
         (shape.from == Columns::runs ? ", .from = fft::Columns::runs" : "") +
         ", .ctas_an_sm = " + std::to_string(shape.ctas_an_sm) +
         (shape.loads == Loads::ahead ? ", .loads = fft::Loads::ahead" : "") +
         (shape.l2_of_loads == dma::L2Priority::evict_first ? ", .l2_of_loads = dma::L2Priority::evict_first" : "") +
         (shape.rounds == Rounds::points ? ", .rounds = fft::Rounds::points" : "") + "}";
}

}  // namespace fft

namespace bench::fft_variants {

using fft::PassShape;
using fft_pass::points;

inline constexpr int radix = 256;  ///< of the passes that the paper's axes are varied for

using Candidate = dma::tuning::Candidate<PassShape>;

/// The candidates of one part whose tiles fit an SM. Launch `round` is that of `fft_pass::problem_of`.
template <int Part>
[[nodiscard]] std::vector<Candidate> candidates_of_part();
inline constexpr int parts = 16;

/// CTAs that have registers: 64 for a thread of one column, 128 for one of two.
[[nodiscard]] constexpr int most_ctas(const PassShape& shape) {
  return (shape.width == 1 ? 1024 : 512) / shape.threads();
}

/// Calls `take` with each shape: those of radix 256 in all combinations, the other radices as the plans have them.
template <class Take>
constexpr void for_each_shape(const Take& take) {
  using enum fft::Columns;
  const auto take_with_ctas = [&](PassShape shape) {
    for (const int share : {1, 2}) {
      shape.ctas_an_sm = most_ctas(shape) / share;
      if (shape.ctas_an_sm > 0) {
        take(shape);
      }
    }
  };
  for (const fft::Columns from : {side_by_side, runs}) {
    for (const int columns : {8, 16, 32}) {
      for (const int width : {1, 2}) {
        for (const fft::Rounds rounds : {fft::Rounds::parts, fft::Rounds::points}) {
          PassShape shape{.points = radix, .columns = columns, .width = width, .from = from, .rounds = rounds};
          take_with_ctas(shape);
          shape.l2_of_loads = dma::L2Priority::evict_first;
          take_with_ctas(shape);
        }
        PassShape ahead{.points = radix, .columns = columns, .width = width, .from = from, .loads = fft::Loads::ahead};
        take_with_ctas(ahead);
      }
    }
    for (const int other : {64, 128, 512, 1024, 2048, 4096}) {
      for (const int tile : {8192, 16384}) {
        if (tile / other < 4) {
          continue;  // a warp's loads span four runs
        }
        PassShape shape{.points = other, .columns = tile / other, .width = 2, .from = from};
        shape.ctas_an_sm = most_ctas(shape);
        if (shape.ctas_an_sm > 0) {
          take(shape);
          if (tile == 16384 && other >= fft::points_a_box) {
            shape.loads = fft::Loads::ahead;
            take(shape);
          }
        }
      }
    }
  }
}

[[nodiscard]] consteval int count_shapes() {
  int count = 0;
  for_each_shape([&](const PassShape&) { ++count; });
  return count;
}

/// Every 16th shape, to be tuned and compiled in a unit of its own.
template <int Part>
[[nodiscard]] consteval auto shapes_of_part() {
  dma::tuning::List<(count_shapes() - Part + parts - 1) / parts, PassShape> list{};
  int index = 0;
  for_each_shape([&](const PassShape& shape) {
    if (index % parts == Part) {
      list.variants[index / parts] = shape;
    }
    ++index;
  });
  return list;
}

}  // namespace bench::fft_variants
