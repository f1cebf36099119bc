#pragma once

/// Which passes a transform takes: a value that can be printed, made on a host, and run on either machine.

#include "shape.hpp"

#include <string>
#include <vector>

namespace fft {

/// Complex transforms of 2^7 to 2^27 points, in natural order, as `result[k] = sum of x[j] exp(-+2 pi i j k / points)`.
struct Transform {
  long long points = 0;
  int batch = 1;               ///< transforms
  bool inverse = false;        ///< the sign of the exponent is positive; not divided by the number of points
  long long in_distance = 0;   ///< from one transform's input to the next, in points; 0: `points`
  long long out_distance = 0;  ///< the same of the output
};

enum class Array { in, work, out };

struct PlannedPass {
  PassShape shape;
  int tiles;
  int ctas;  ///< as many as tiles, or those of a ring that the GPU holds at a time
  Array from;
  Array to;
  PassProblem problem;  ///< without addresses
};

struct Plan {
  Transform transform;
  std::vector<PlannedPass> passes;

  /// Points of the input's array, and of the output's, gaps included.
  [[nodiscard]] long long in_points() const { return transform.in_distance * transform.batch; }
  [[nodiscard]] long long out_points() const { return transform.out_distance * transform.batch; }
  /// Of the array `work`, which a plan of several passes needs.
  [[nodiscard]] long long work_points() const { return passes.size() > 1 ? transform.points * transform.batch : 0; }
  /// That all passes read and write.
  [[nodiscard]] double bytes() const {
    return 2.0 * sizeof(Complex) * static_cast<double>(passes.size()) * static_cast<double>(transform.points) *
           transform.batch;
  }
};

/// The plan of the fastest passes on a GPU of so many multiprocessors.
///
/// @throw std::invalid_argument  for what no pass does, with what to do instead
[[nodiscard]] Plan make_plan(const Transform& transform, int sms);
/// The same of these passes, whose points multiply to those of the transform: one of runs to runs, or any number of
/// columns side by side and a last one of runs to columns side by side.
[[nodiscard]] Plan make_plan(const Transform& transform, int sms, const std::vector<PassShape>& shapes);

/// A line for the transform and one for each pass.
[[nodiscard]] std::string to_string(const Plan& plan);

/// Throws std::invalid_argument where a plan cannot run on these arrays.
void expect_arrays(const Plan& plan, const Complex* in, const Complex* out, const Complex* work);

/// The shapes of the plans by `make_plan(transform)`.
inline constexpr PassShape shapes[] = {
    // One pass: as many transforms as give a CTA 256 threads.
    {128, 32, 1, Columns::runs, Columns::runs, 4},
    {256, 16, 1, Columns::runs, Columns::runs, 4},
    {512, 8, 1, Columns::runs, Columns::runs, 4},
    {1024, 4, 1, Columns::runs, Columns::runs, 4},
    {2048, 2, 1, Columns::runs, Columns::runs, 4},
    {4096, 1, 1, Columns::runs, Columns::runs, 4},
    {8192, 1, 1, Columns::runs, Columns::runs, 2},
    // The first passes of several.
    {128, 16, 1, Columns::side_by_side, Columns::side_by_side, 8},
    {256, 8, 1, Columns::side_by_side, Columns::side_by_side, 8},
    {256, 32, 2, Columns::side_by_side, Columns::side_by_side, 2},
    {512, 8, 1, Columns::side_by_side, Columns::side_by_side, 4},
    {512, 16, 2, Columns::side_by_side, Columns::side_by_side, 2},
    {1024, 8, 2, Columns::side_by_side, Columns::side_by_side, 2},
    {2048, 8, 2, Columns::side_by_side, Columns::side_by_side, 1},
    {4096, 4, 2, Columns::side_by_side, Columns::side_by_side, 1},
    // The last.
    {128, 16, 1, Columns::runs, Columns::side_by_side, 8},
    {256, 8, 1, Columns::runs, Columns::side_by_side, 8},
    {256, 32, 2, Columns::runs, Columns::side_by_side, 2},
    {512, 8, 1, Columns::runs, Columns::side_by_side, 4},
    {512, 16, 2, Columns::runs, Columns::side_by_side, 2},
    {1024, 4, 1, Columns::runs, Columns::side_by_side, 4},
    {1024, 8, 2, Columns::runs, Columns::side_by_side, 2},
    {2048, 8, 2, Columns::runs, Columns::side_by_side, 1},
    {4096, 4, 2, Columns::runs, Columns::side_by_side, 1},
};

}  // namespace fft
