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

void expect_distance(long long distance, const Transform& transform, const std::string& of) {
  if (distance < transform.points) {
    refuse("the " + of + " of transforms of " + std::to_string(transform.points) + " points are " +
           std::to_string(distance) + " points apart and would overlap; make the distance at least that many");
  }
  if (distance % 2 != 0) {
    refuse("the " + of + " of the transforms are " + std::to_string(distance) +
           " points apart, and a thread's accesses begin on 16 bytes; make the distance even");
  }
}

[[nodiscard]] Transform completed(Transform t) {
  if (t.points < 1LL << fewest_log || t.points > 1LL << most_log || (t.points & (t.points - 1)) != 0) {
    refuse("a transform has 2^7 to 2^27 points, a power of two, and " + std::to_string(t.points) +
           " were asked for; pad the input with zeros to such a length");
  }
  if (t.batch < 1) {
    refuse("a plan is for one transform or more, and " + std::to_string(t.batch) +
           " were asked for; make batch positive");
  }
  t.in_distance = t.in_distance == 0 ? t.points : t.in_distance;
  t.out_distance = t.out_distance == 0 ? t.points : t.out_distance;
  expect_distance(t.in_distance, t, "inputs");
  expect_distance(t.out_distance, t, "outputs");
  return t;
}

/// The shape for whole transforms: of the least threads where there are few, of the most otherwise.
[[nodiscard]] PassShape shape_of_whole(long long points, bool few) {
  PassShape found{};
  for (const PassShape& shape : shapes) {
    if (shape.points == points && shape.to == Columns::runs &&
        (found.points == 0 || (shape.threads() < found.threads()) == few)) {
      found = shape;
    }
  }
  return found;
}

/// Measured on an H200. Two passes as long as their tiles fit an SM's registers, then three.
[[nodiscard]] std::vector<PassShape> best_shapes(const Transform& t) {
  const int log = log2_of(t.points);
  const long long points = t.points * t.batch;
  if (log <= 12) {
    return {shape_of_whole(t.points, points <= 1LL << 21)};
  }
  if (log <= 14) {
    // Two passes have more CTAs, one moves half of the bytes.
    if (points > 1LL << 17) {
      return {shape_of_whole(t.points, false)};
    }
    return {small_128, log == 13 ? last(small_64) : last(small_128)};
  }
  const bool few = points <= 1LL << 19;
  switch (log) {
    case 15:
      return {few ? small_256 : wide_256, last(small_128)};
    case 16:
      return {few ? small_256 : wide_256, few ? last(small_256) : last(wide_256)};
    case 17:
      return {few ? small_512 : wide_512, few ? last(small_256) : last(wide_256)};
    case 18:
      return {few ? small_512 : wide_512, few ? last(small_512) : last(wide_512)};
    case 19:
      return {few ? small_512 : wide_512, few ? last(small_1024) : last(wide_1024)};
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
      return {wide_256, wide_512, last(wide_256)};
    case 26:
      return {wide_256, wide_512, last(wide_512)};
    default:
      return {wide_512, wide_512, last(wide_512)};
  }
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
}

}  // namespace

Plan make_plan(const Transform& transform, int sms) {
  return make_plan(transform, sms, best_shapes(completed(transform)));
}

Plan make_plan(const Transform& transform, int sms, const std::vector<PassShape>& pass_shapes) {
  Plan plan{completed(transform), {}};
  const Transform& t = plan.transform;
  long long done = 1;  // points of the passes before
  for (std::size_t i = 0; i < pass_shapes.size(); ++i) {
    const PassShape& shape = pass_shapes[i];
    const bool is_first = i == 0;
    const bool is_last = i + 1 == pass_shapes.size();
    const long long rest = t.points / done / shape.points;  // points of the passes after
    PlannedPass pass{shape, 0, 0, is_first ? Array::in : Array::work, is_last ? Array::out : Array::work, {}};
    PassProblem& problem = pass.problem;
    problem.sign_in = t.inverse && is_first ? -1.0F : 1.0F;
    problem.sign_out = t.inverse && is_last ? -1.0F : 1.0F;
    long long tiles = 0;
    if (shape.to == Columns::runs) {
      problem.in = {0, 0, t.in_distance};
      problem.out = {0, 0, t.out_distance};
      problem.columns_in_all = t.batch;
      tiles = (t.batch + shape.columns - 1LL) / shape.columns;
      problem.log_blocks = 31 - 1;  // every tile is a block
    } else if (shape.from == Columns::side_by_side) {
      // A batch is one of `done` parts of a transform; those of the first pass are transforms.
      problem.in = {is_first ? t.in_distance : t.points / done, 0, rest};
      problem.out = {t.points / done, 0, rest};
      problem.columns_in_all = static_cast<int>(rest);
      problem.batches = static_cast<int>(t.batch * done);
      problem.log_blocks = log2_of(rest / shape.columns);
      problem.log_twiddles = log2_of(t.points / done);
      tiles = t.batch * done * (rest / shape.columns);
    } else {
      // Columns are results of the first pass, groups those of the passes between.
      const int first = pass_shapes[0].points;
      const long long between = done / first;
      problem.in = {t.points, shape.points, between * shape.points};
      problem.out = {t.out_distance, first, done};
      problem.columns_in_all = first;
      problem.batches = t.batch;
      problem.log_blocks = log2_of(first / shape.columns);
      problem.log_groups = log2_of(between);
      tiles = t.batch * (done / shape.columns);
    }
    if (tiles > std::numeric_limits<int>::max()) {
      refuse(std::to_string(t.batch) + " transforms of " + std::to_string(t.points) +
             " points are more tiles than a grid has CTAs; divide the batch");
    }
    pass.tiles = static_cast<int>(tiles);
    pass.ctas = shape.loads == Loads::ahead ? std::min(pass.tiles, sms * shape.ctas_an_sm) : pass.tiles;
    plan.passes.push_back(pass);
    done *= shape.points;
  }
  return plan;
}

std::string to_string(const Plan& plan) {
  const Transform& t = plan.transform;
  char line[240];
  std::snprintf(line, sizeof line,
                "2^%d points, batch of %d, %s: %zu pass%s, %.1f MB read and written, %.1f MB of work\n",
                log2_of(t.points), t.batch, t.inverse ? "inverse" : "forward", plan.passes.size(),
                plan.passes.size() == 1 ? "" : "es", plan.bytes() * 1e-6,
                static_cast<double>(plan.work_points()) * sizeof(Complex) * 1e-6);
  std::string text = line;
  for (const PlannedPass& pass : plan.passes) {
    const PassShape& shape = pass.shape;
    const auto name_of = [](Columns columns) { return columns == Columns::runs ? "runs" : "rows"; };
    std::snprintf(line, sizeof line, "  radix-%d pass: %d points x %d columns, %s to %s, %d CTAs of %d threads, %s\n",
                  shape.points, shape.points, shape.columns, name_of(shape.from), name_of(shape.to), pass.ctas,
                  shape.threads(),
                  shape.loads == Loads::ahead ? "tensor maps a tile ahead"
                  : shape.width == 2          ? "16-byte loads to registers"
                                              : "8-byte loads to registers");
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
