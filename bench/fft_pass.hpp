#pragma once

/// One pass of a transform of 2^24 points by itself.

#include "../applications/fft/plan.hpp"
#include "measure.hpp"

namespace bench::fft_pass {

using fft::PassShape;

inline constexpr long long points = 1LL << 24;
inline constexpr double bytes = 2.0 * sizeof(fft::Complex) * points;  ///< that a pass reads and writes

[[nodiscard]] constexpr bool is_last(const PassShape& shape) { return shape.from == fft::Columns::runs; }

/// The pass with what is left of the transform in another, which is not launched.
[[nodiscard]] inline fft::PlannedPass planned(const PassShape& shape) {
  PassShape other{.points = static_cast<int>(points / shape.points), .columns = 1};
  if (is_last(shape)) {
    return fft::make_plan({.points = points}, sms(), {other, shape}).passes[1];
  }
  other.from = fft::Columns::runs;
  return fft::make_plan({.points = points}, sms(), {shape, other}).passes[0];
}

/// The problem of launch `round`, of other points of the input and of the output than the one before.
[[nodiscard]] inline fft::PassProblem problem_of(const fft::PlannedPass& pass, int round) {
  const long long turns = windows * window_elements() / 2 / points;
  const long long first = round % turns * points;
  fft::PassProblem problem = pass.problem;
  problem.from = reinterpret_cast<const fft::Complex*>(input()) + first;
  problem.to = reinterpret_cast<fft::Complex*>(output()) + first;
  return problem;
}

}  // namespace bench::fft_pass
