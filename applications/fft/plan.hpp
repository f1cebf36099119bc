#pragma once

/// Which passes a transform takes: a value that can be printed, made on a host, and run on either machine.

#include "shape.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace fft {

/// Whether all points are complex, or those of an inverse's output and of any other input are real. Transforms of real
/// points have the results 0 to points / 2; the others are their conjugates.
enum class Numbers { complex, real };

/// Transforms of 2^7 to 2^27 complex or 2^8 to 2^27 real points, in natural order, as
/// `result[k] = sum of x[j] exp(-+2 pi i j k / points)`.
struct Transform {
  long long points = 0;
  int batch = 1;               ///< transforms
  bool inverse = false;        ///< the sign of the exponent is positive; not divided by the number of points
  long long in_distance = 0;   ///< from one transform's input to the next, in units of Complex, which has two real
                               ///< points; 0: without gaps, results of real points on whole lines of 128 bytes. Inputs
                               ///< may overlap where they are not transformed in place
  long long out_distance = 0;  ///< the same of the output
  Numbers numbers = Numbers::complex;

  [[nodiscard]] constexpr bool is_real() const { return numbers == Numbers::real; }
  /// Of the complex transform that the passes do: of real points two make a complex one.
  [[nodiscard]] constexpr long long complex_points() const { return is_real() ? points / 2 : points; }
  /// Units of Complex that an input has, and an output.
  [[nodiscard]] constexpr long long in_length() const { return complex_points() + (is_real() && inverse ? 1 : 0); }
  [[nodiscard]] constexpr long long out_length() const { return complex_points() + (is_real() && !inverse ? 1 : 0); }
};

enum class Array { in, work, out };

struct PlannedPass {
  PassShape shape;
  int tiles;
  int ctas;  ///< as many as tiles, or those that the GPU holds at a time, where tiles are loaded ahead
  Array from;
  Array to;
  PassProblem problem;  ///< without addresses
};

struct Plan {
  Transform transform;
  std::vector<PlannedPass> passes;

  /// Units of Complex that the input's array has, and the output's, gaps included.
  [[nodiscard]] long long in_points() const {
    return transform.in_distance * (transform.batch - 1) + std::max(transform.in_distance, transform.in_length());
  }
  [[nodiscard]] long long out_points() const { return transform.out_distance * transform.batch; }
  /// The same of the array `work`, which a plan of several passes with butterflies needs.
  [[nodiscard]] long long work_points() const {
    const bool is_used =
        std::any_of(passes.begin(), passes.end(), [](const PlannedPass& pass) { return pass.to == Array::work; });
    return is_used ? transform.complex_points() * transform.batch : 0;
  }
  /// That all passes read and write.
  [[nodiscard]] double bytes() const {
    return 2.0 * sizeof(Complex) * static_cast<double>(passes.size()) *
           static_cast<double>(transform.complex_points()) * transform.batch;
  }
};

/// The plan of the fastest passes on a GPU of so many multiprocessors.
///
/// @throw std::invalid_argument  for what no pass does, with what to do instead
[[nodiscard]] Plan make_plan(const Transform& transform, int sms);
/// The same of these passes, whose points multiply to the complex ones of the transform: one of runs to runs, or any
/// number of columns side by side and a last one of runs to columns side by side. A pass that only untangles is added
/// where the points are real and none of these untangles.
[[nodiscard]] Plan make_plan(const Transform& transform, int sms, const std::vector<PassShape>& shapes);

/// A line for the transform and one for each pass.
[[nodiscard]] std::string to_string(const Plan& plan);

/// A pass of whole transforms. It exchanges whole points: a thread has one column, so that their buffers fit an SM for
/// all of its CTAs.
[[nodiscard]] consteval PassShape whole(int points, int transforms, int ctas_an_sm) {
  return {.points = points,
          .columns = transforms,
          .from = Columns::runs,
          .to = Columns::runs,
          .ctas_an_sm = ctas_an_sm,
          .rounds = Rounds::points};
}
/// The last pass of several, where `shape` is a first one.
[[nodiscard]] consteval PassShape last(PassShape shape) {
  shape.from = Columns::runs;
  return shape;
}
/// Its tiles loaded ahead by tensor maps.
[[nodiscard]] consteval PassShape loaded_ahead(PassShape shape) {
  shape.loads = Loads::ahead;
  return shape;
}
/// Its exchanges of whole points, where an SM has memory for them: half of the synchronizations.
[[nodiscard]] consteval PassShape by_points(PassShape shape) {
  shape.rounds = Rounds::points;
  return shape;
}
/// Its results those of twice as many real points.
[[nodiscard]] consteval PassShape untangled(PassShape shape) {
  shape.untangles = Untangles::results;
  return shape;
}
/// From the results of twice as many real points.
[[nodiscard]] consteval PassShape untangling_loaded(PassShape shape) {
  shape.untangles = Untangles::loaded;
  return shape;
}
/// With these priorities of its accesses in the L2. Between passes of up to 2^22 points that is worth 1 to 6%: the
/// input leaves it first, so that the intermediate results stay.
[[nodiscard]] consteval PassShape with_l2(PassShape shape, dma::L2Priority loads, dma::L2Priority stores) {
  shape.l2_of_loads = loads;
  shape.l2_of_stores = stores;
  return shape;
}

// Small CTAs, for transforms that have few of them: latency decides.
inline constexpr PassShape small_64{64, 32, 1, Columns::side_by_side, Columns::side_by_side, 8};
inline constexpr PassShape small_128{128, 16, 1, Columns::side_by_side, Columns::side_by_side, 8};
inline constexpr PassShape small_256{256, 8, 1, Columns::side_by_side, Columns::side_by_side, 8};
inline constexpr PassShape small_512{512, 8, 1, Columns::side_by_side, Columns::side_by_side, 4};
inline constexpr PassShape small_1024{1024, 4, 1, Columns::side_by_side, Columns::side_by_side, 4};
// One column a thread, for rows of 256 bytes, or of 64 where the results stay in the L2.
inline constexpr PassShape column_256 = by_points({256, 32, 1, Columns::side_by_side, Columns::side_by_side, 2});
inline constexpr PassShape column_1024 = by_points({1024, 8, 1, Columns::side_by_side, Columns::side_by_side, 2});
// Two columns a thread. Rows of 64 bytes; of 32 where an SM has registers for no more columns; of 128 and 256 bytes
// where a transform takes three passes.
inline constexpr PassShape wide_128{128, 32, 2, Columns::side_by_side, Columns::side_by_side, 4};
inline constexpr PassShape wide_256{256, 32, 2, Columns::side_by_side, Columns::side_by_side, 2};
inline constexpr PassShape wide_512{512, 16, 2, Columns::side_by_side, Columns::side_by_side, 2};
inline constexpr PassShape wide_1024{1024, 8, 2, Columns::side_by_side, Columns::side_by_side, 2};
inline constexpr PassShape wide_2048{2048, 8, 2, Columns::side_by_side, Columns::side_by_side, 1};
inline constexpr PassShape wide_4096{4096, 4, 2, Columns::side_by_side, Columns::side_by_side, 1};

inline constexpr PassShape first_of_2_20 = with_l2(column_1024, dma::L2Priority::evict_first, dma::L2Priority::normal);
inline constexpr PassShape first_of_2_21 = with_l2(column_1024, dma::L2Priority::normal, dma::L2Priority::evict_last);
inline constexpr PassShape last_of_2_21 =
    last(with_l2(wide_2048, dma::L2Priority::evict_first, dma::L2Priority::normal));
inline constexpr PassShape first_of_2_22 =
    loaded_ahead(with_l2(wide_2048, dma::L2Priority::evict_first, dma::L2Priority::normal));
inline constexpr PassShape last_of_2_22 =
    last(loaded_ahead(with_l2(wide_2048, dma::L2Priority::evict_first, dma::L2Priority::evict_first)));

/// From the results of a complex transform to those of twice as many real points, or back. Its tiles are pairs of
/// results k and points - k.
inline constexpr PassShape untangling = untangled({2, 512, 1, Columns::runs, Columns::runs, 12});

/// All shapes of the plans of `make_plan(transform, sms)`.
inline constexpr PassShape shapes[] = {
    whole(128, 4, 8),
    whole(256, 2, 8),
    whole(512, 1, 8),
    whole(1024, 1, 8),
    whole(2048, 1, 8),
    whole(128, 32, 4),
    whole(256, 16, 4),
    whole(512, 8, 4),
    whole(1024, 4, 4),
    whole(2048, 2, 4),
    whole(4096, 1, 4),
    whole(8192, 1, 2),
    whole(16384, 1, 1),
    by_points(small_128),
    by_points(small_256),
    by_points(small_512),
    column_256,
    wide_128,
    wide_512,
    first_of_2_20,
    first_of_2_21,
    first_of_2_22,
    loaded_ahead(wide_4096),
    last(small_64),
    last(small_128),
    last(small_256),
    last(small_512),
    last(small_1024),
    last(column_256),
    last(wide_256),
    last(wide_512),
    last(wide_1024),
    last_of_2_21,
    last_of_2_22,
    last(wide_4096),
    untangling,
    untangled(whole(128, 4, 8)),
    untangled(whole(256, 2, 8)),
    untangled(whole(512, 1, 8)),
    untangled(whole(1024, 1, 8)),
    untangled(whole(2048, 1, 8)),
    untangled(whole(4096, 1, 4)),
    untangled(whole(8192, 1, 2)),
    untangled(whole(16384, 1, 1)),
    untangling_loaded(whole(128, 4, 8)),
    untangling_loaded(whole(256, 2, 8)),
    untangling_loaded(whole(512, 1, 8)),
    untangling_loaded(whole(1024, 1, 8)),
    untangling_loaded(whole(2048, 1, 8)),
    untangling_loaded(whole(4096, 1, 4)),
    untangling_loaded(whole(8192, 1, 2)),
    untangling_loaded(whole(16384, 1, 1)),
};

/// The problem of a pass with the addresses of its arrays.
[[nodiscard]] inline PassProblem problem_of(const PlannedPass& pass, const Complex* in, Complex* out, Complex* work) {
  PassProblem problem = pass.problem;
  problem.from = pass.from == Array::in ? in : pass.from == Array::work ? work : out;
  problem.to = pass.to == Array::out ? out : work;
  return problem;
}

/// Launches the passes of a plan, in order, by `launches(pass, problem)`, which returns whether it has a kernel of the
/// pass.
///
/// @param in, out  may be the same array
/// @param work     `plan.work_points()` points
/// @throw std::invalid_argument  for arrays that the plan cannot run on, or a pass without a kernel
void run(const Plan& plan, const Complex* in, Complex* out, Complex* work,
         const std::function<bool(const PlannedPass&, const PassProblem&)>& launches);

}  // namespace fft
