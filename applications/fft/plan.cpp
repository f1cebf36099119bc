#include "plan.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <stdexcept>

namespace fft {
namespace {

constexpr int fewest_log = 7;
constexpr int most_log = 27;

[[nodiscard]] int log2_of(long long number) {
  int log = 0;
  while (number >> log > 1) {
    ++log;
  }
  return log;
}

[[noreturn]] void refuse(const std::string& sentence) { throw std::invalid_argument("fft: " + sentence); }

void expect_distance(long long distance, const std::string& of) {
  if (distance % 2 != 0) {
    refuse("the " + of + " of the transforms are " + std::to_string(distance) +
           " complex numbers apart, and a thread's accesses begin on 16 bytes; make the distance even");
  }
}

/// The next multiple of a line of 128 bytes. A batch's results 0 to n / 2 at an odd sector take up to a fifth more
/// time.
[[nodiscard]] long long whole_lines(long long length) {
  constexpr long long line = 128 / sizeof(Complex);
  return (length + line - 1) / line * line;
}

[[nodiscard]] Transform completed(Transform t) {
  const int fewest = fewest_log + (t.is_real() ? 1 : 0);
  if (t.points < 1LL << fewest || t.points > 1LL << most_log || (t.points & (t.points - 1)) != 0) {
    refuse("a transform has 2^" + std::to_string(fewest) + " to 2^27 " + (t.is_real() ? "real " : "") +
           "points, a power of two, and " + std::to_string(t.points) +
           " were asked for; pad the input with zeros to such a length");
  }
  if (t.batch < 1) {
    refuse("a plan is for one transform or more, and " + std::to_string(t.batch) +
           " were asked for; make batch positive");
  }
  t.in_distance = t.in_distance == 0 ? whole_lines(t.in_length()) : t.in_distance;
  t.out_distance = t.out_distance == 0 ? whole_lines(t.out_length()) : t.out_distance;
  expect_distance(t.in_distance, "inputs");
  expect_distance(t.out_distance, "outputs");
  if (t.out_distance < t.out_length()) {
    refuse("the outputs of transforms of " + std::to_string(t.points) + " points are " +
           std::to_string(t.out_distance) + " complex numbers apart and would overlap; make the distance at least " +
           std::to_string(t.out_length()));
  }
  if (t.in_distance < 2) {
    refuse("the inputs of the transforms are " + std::to_string(t.in_distance) +
           " complex numbers apart; make the distance positive");
  }
  return t;
}

/// The shape for whole transforms: of the least threads where there are few, of the most otherwise.
[[nodiscard]] PassShape shape_of_whole(long long points, bool few, Untangles untangles) {
  PassShape found{};
  for (const PassShape& shape : shapes) {
    if (shape.points == points && shape.to == Columns::runs && shape.untangles == untangles &&
        (found.points == 0 || (shape.threads() < found.threads()) == few)) {
      found = shape;
    }
  }
  return found;
}

/// Measured on an H200. Two passes as long as their tiles fit an SM's registers, then three.
[[nodiscard]] std::vector<PassShape> best_shapes(const Transform& t) {
  const int log = log2_of(t.complex_points());
  const long long points = t.complex_points() * t.batch;
  const Untangles untangles = !t.is_real() ? Untangles::nothing : t.inverse ? Untangles::loaded : Untangles::results;
  if (log <= 12) {
    return {shape_of_whole(t.complex_points(), points <= 1LL << 21, untangles)};
  }
  if (log <= 14) {
    // Two passes have more CTAs, one moves half of the bytes.
    if (points > 1LL << 17) {
      return {shape_of_whole(t.complex_points(), false, untangles)};
    }
    return {by_points(small_128), log == 13 ? last(small_64) : last(small_128)};
  }
  const bool few = points <= 1LL << 19;
  switch (log) {
    case 15:
      return {few ? by_points(small_256) : wide_128, few ? last(small_128) : last(column_256)};
    case 16:
      return {few ? by_points(small_256) : column_256, few ? last(small_256) : last(column_256)};
    case 17:
      return {few ? by_points(small_512) : wide_512, few ? last(small_256) : last(wide_256)};
    case 18:
      return {few ? by_points(small_512) : wide_512, few ? last(small_512) : last(wide_512)};
    case 19:
      return {few ? by_points(small_512) : wide_512, few ? last(small_1024) : last(wide_1024)};
    case 20:
      return {first_of_2_20, last(wide_1024)};
    case 21:
      return {first_of_2_21, last_of_2_21};
    case 22:
      return {first_of_2_22, last_of_2_22};
    case 23:
      return {loaded_ahead(wide_4096), last_of_2_22};
    case 24:
      return {loaded_ahead(wide_4096), last(wide_4096)};
    case 25:
      return {column_256, wide_512, last(column_256)};
    case 26:
      return {column_256, wide_512, last(wide_512)};
    default:
      return {column_256, wide_512, last(wide_1024)};
  }
}

/// As many as a grid can have.
[[nodiscard]] int tiles_of_grid(long long tiles, const Transform& t) {
  if (tiles > std::numeric_limits<int>::max()) {
    refuse(std::to_string(t.batch) + " transforms of " + std::to_string(t.points) +
           " points are more tiles than a grid has CTAs; divide the batch");
  }
  return static_cast<int>(tiles);
}

/// From an array to the output's, which may be the same.
[[nodiscard]] PlannedPass untangling_pass(const Transform& t, Array from) {
  PlannedPass pass{untangling, 0, 0, from, Array::out, {}};
  PassProblem& problem = pass.problem;
  const long long pairs = t.complex_points() / 2;
  const long long blocks = std::max(1LL, pairs / untangling.columns);
  problem.in = {from == Array::in ? t.in_distance : t.out_distance, 0, 1};
  problem.out = {t.out_distance, 0, 1};
  problem.columns_in_all = static_cast<int>(pairs);
  problem.batches = t.batch;
  problem.log_blocks = log2_of(blocks);
  problem.log_twiddles = log2_of(t.points);
  problem.sign_in = t.inverse ? -1.0F : 1.0F;
  problem.sign_out = 1;
  pass.tiles = tiles_of_grid(t.batch * blocks, t);
  pass.ctas = pass.tiles;
  return pass;
}

/// Whether a plan can run on these arrays.
void expect_arrays(const Plan& plan, const Complex* in, const Complex* out, const Complex* work) {
  for (const Complex* array : {in, out, work}) {
    if (reinterpret_cast<std::uintptr_t>(array) % 16 != 0) {
      refuse("an array begins at an address that is no multiple of 16, as a thread's accesses do; align it");
    }
  }
  if (in == nullptr || out == nullptr) {
    refuse("the input or the output is a null pointer; give arrays of as many points as the plan says");
  }
  if (plan.work_points() != 0 && (work == nullptr || work == in || work == out)) {
    refuse(
        "the passes of this plan leave their results in a third array, and it is null, or the input or the output; "
        "give one of " +
        std::to_string(plan.work_points()) + " points");
  }
  if (in == out && plan.transform.in_distance != plan.transform.out_distance) {
    refuse("the transforms are in place, and their inputs and outputs are at different distances; make them the same");
  }
  if (in == out && plan.transform.in_distance < plan.transform.in_length()) {
    refuse("the transforms are in place, and their inputs overlap; give the results an array of their own");
  }
}

}  // namespace

Plan make_plan(const Transform& transform, int sms) {
  return make_plan(transform, sms, best_shapes(completed(transform)));
}

Plan make_plan(const Transform& transform, int sms, const std::vector<PassShape>& pass_shapes) {
  Plan plan{completed(transform), {}};
  const Transform& t = plan.transform;
  const long long points = t.complex_points();
  const bool is_untangled = std::any_of(pass_shapes.begin(), pass_shapes.end(),
                                        [](const PassShape& shape) { return shape.untangles != Untangles::nothing; });
  // An inverse untangles to the output's array, in which its first pass then finds its points.
  const bool untangles_first = t.is_real() && t.inverse && !is_untangled;
  const long long in_distance = untangles_first ? t.out_distance : t.in_distance;
  if (untangles_first) {
    plan.passes.push_back(untangling_pass(t, Array::in));
  }
  long long done = 1;  // points of the passes before
  for (std::size_t i = 0; i < pass_shapes.size(); ++i) {
    const PassShape& shape = pass_shapes[i];
    const bool is_first = i == 0;
    const bool is_last = i + 1 == pass_shapes.size();
    const long long rest = points / done / shape.points;  // points of the passes after
    const Array from = !is_first ? Array::work : untangles_first ? Array::out : Array::in;
    PlannedPass pass{shape, 0, 0, from, is_last ? Array::out : Array::work, {}};
    PassProblem& problem = pass.problem;
    problem.sign_in = t.inverse && is_first ? -1.0F : 1.0F;
    problem.sign_out = t.inverse && is_last ? -1.0F : 1.0F;
    long long tiles = 0;
    if (shape.to == Columns::runs) {
      problem.in = {0, 0, in_distance};
      problem.out = {0, 0, t.out_distance};
      problem.columns_in_all = t.batch;
      tiles = (t.batch + shape.columns - 1LL) / shape.columns;
      problem.log_blocks = 31 - 1;  // every tile is a block
    } else if (shape.from == Columns::side_by_side) {
      // A batch is one of `done` parts of a transform; those of the first pass are transforms.
      problem.in = {is_first ? in_distance : points / done, 0, rest};
      problem.out = {points / done, 0, rest};
      problem.columns_in_all = static_cast<int>(rest);
      problem.batches = static_cast<int>(t.batch * done);
      problem.log_blocks = log2_of(rest / shape.columns);
      problem.log_twiddles = log2_of(points / done);
      tiles = t.batch * done * (rest / shape.columns);
    } else {
      // Columns are results of the first pass, groups those of the passes between.
      const int first = pass_shapes[0].points;
      const long long between = done / first;
      problem.in = {points, shape.points, between * shape.points};
      problem.out = {t.out_distance, first, done};
      problem.columns_in_all = first;
      problem.batches = t.batch;
      problem.log_blocks = log2_of(first / shape.columns);
      problem.log_groups = log2_of(between);
      tiles = t.batch * (done / shape.columns);
    }
    pass.tiles = tiles_of_grid(tiles, t);
    pass.ctas = shape.loads == Loads::ahead ? std::min(pass.tiles, sms * shape.ctas_an_sm) : pass.tiles;
    plan.passes.push_back(pass);
    done *= shape.points;
  }
  if (t.is_real() && !t.inverse && !is_untangled) {
    plan.passes.push_back(untangling_pass(t, Array::out));
  }
  return plan;
}

std::string to_string(const Plan& plan) {
  const Transform& t = plan.transform;
  char line[240];
  std::snprintf(line, sizeof line,
                "2^%d %spoints, batch of %d, %s: %zu pass%s, %.1f MB read and written, %.1f MB of work\n",
                log2_of(t.points), t.is_real() ? "real " : "", t.batch, t.inverse ? "inverse" : "forward",
                plan.passes.size(), plan.passes.size() == 1 ? "" : "es", plan.bytes() * 1e-6,
                static_cast<double>(plan.work_points()) * sizeof(Complex) * 1e-6);
  std::string text = line;
  for (const PlannedPass& pass : plan.passes) {
    const PassShape& shape = pass.shape;
    const auto name_of = [](Columns columns) { return columns == Columns::runs ? "runs" : "rows"; };
    if (shape.only_untangles()) {
      std::snprintf(line, sizeof line, "  untangling pass: %d pairs of results a tile, %d CTAs of %d threads\n",
                    shape.columns, pass.ctas, shape.threads());
      text += line;
      continue;
    }
    std::snprintf(line, sizeof line, "  radix-%d pass: %d points x %d columns, %s to %s, %d CTAs of %d threads, %s%s\n",
                  shape.points, shape.points, shape.columns, name_of(shape.from), name_of(shape.to), pass.ctas,
                  shape.threads(),
                  shape.loads == Loads::ahead ? "tensor maps a tile ahead"
                  : shape.width == 2          ? "16-byte loads to registers"
                                              : "8-byte loads to registers",
                  shape.untangles == Untangles::results  ? ", results untangled"
                  : shape.untangles == Untangles::loaded ? ", untangled as loaded"
                                                         : "");
    text += line;
  }
  return text;
}

void run(const Plan& plan, const Complex* in, Complex* out, Complex* work,
         const std::function<bool(const PlannedPass&, const PassProblem&)>& launches) {
  expect_arrays(plan, in, out, work);
  for (const PlannedPass& pass : plan.passes) {
    if (!launches(pass, problem_of(pass, in, out, work))) {
      refuse("this machine has no kernel for the plan's passes of " + std::to_string(pass.shape.points) + " points x " +
             std::to_string(pass.shape.columns) + " columns; transform fewer points");
    }
  }
}

}  // namespace fft
