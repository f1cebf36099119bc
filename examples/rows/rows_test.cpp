// Layer norm, RMS norm, softmax and log-sum-exp of rows, and the backward of the norms, on the emulator beside loops in
// double, and their proofs: rows of a warp, of several warps, and of a cluster.

#include "backward.hpp"
#include "kernel.hpp"
#include "long_layer_norm.hpp"

#include <dma/host/launch.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

using dma::host::IsProved;

namespace {

using Floats = std::vector<float>;

/// A row a warp, four rows a tile.
constexpr RowsPlan warp_plan{.columns = 256, .warps = 4, .warps_a_row = 1, .stages = 2};
/// Two warps a row, two rows a tile; half of the parameters at a time.
constexpr RowsPlan warps_plan{.columns = 512, .warps = 4, .warps_a_row = 2, .stages = 1, .at_once = 1};
/// Rows in two pieces, with slots for a row and a half.
constexpr RowsPlan cta_plan{.columns = 1024, .warps = 2, .warps_a_row = 2, .pieces = 2, .stages = 3};
/// Slots for a row, its x and dy.
constexpr RowsPlan pieces_plan{.columns = 512, .warps = 2, .warps_a_row = 2, .pieces = 2, .stages = 4};
/// A cluster a row, with slots for two rows.
constexpr RowsPlan cluster_plan{
    .columns = 2048, .warps = 2, .warps_a_row = 2, .ctas_a_row = 4, .pieces = 2, .stages = 4, .at_once = 1};
/// The same rows, held in shared memory: two pieces a part, with slots for two rows or for a row and a half; and one
/// slot with half of the parameters at a time.
using HeldWarps = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;
using HeldAhead = LongLayerNorm<HeldWarps, 2048, 4, 2, 4, 1, 2>;
using HeldAheadByAPiece = LongLayerNorm<HeldWarps, 2048, 4, 2, 3, 1, 2>;
using HeldInOneSlot = LongLayerNorm<HeldWarps, 2048, 4, 1, 1, 1, 1>;
/// More moments a row than lanes.
using HeldManyMoments = LongLayerNorm<dma::WarpLayout<dma::Compute<8>, dma::Dma<1>>, 8192, 8, 1, 2, 1, 1>;
constexpr RowsPlan bf16_plan{.columns = 4096, .warps = 2, .warps_a_row = 2, .ctas_a_row = 4, .pieces = 2, .stages = 3};
/// More sums a row than lanes.
constexpr RowsPlan many_sums_plan{.columns = 8192, .warps = 8, .warps_a_row = 8, .ctas_a_row = 8, .stages = 1};

/// Values around a mean that is large beside their distances from it.
float value_at(std::size_t i) { return 100.0F + static_cast<float>(i * 7919 % 1013) / 64.0F; }
/// Whole numbers, which bfloat16 has too.
template <class T = float>
std::vector<T> parameters(int columns, std::size_t step) {
  std::vector<T> values(static_cast<std::size_t>(columns));
  for (std::size_t c = 0; c < values.size(); ++c) {
    round_to(values[c], static_cast<float>(c * step % 17) - 8.0F);
  }
  return values;
}

constexpr float epsilon = 1e-5F;

/// A matrix of rows, and what the operations make of it, in double.
template <class T>
struct Matrix {
  Matrix(const RowsPlan& plan, int rows) : columns(static_cast<std::size_t>(plan.columns)), row_count(rows) {
    x.resize(columns * static_cast<std::size_t>(rows));
    for (std::size_t i = 0; i < x.size(); ++i) {
      round_to(x[i], value_at(i));
    }
    y.resize(x.size());
    std::fill(y.begin(), y.end(), T(NAN));
  }
  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return double{float_of(x[row * columns + column])};
  }
  template <class ValueOf>
  [[nodiscard]] double sum(std::size_t row, const ValueOf& value_of) const {
    double sum = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      sum += value_of(at(row, c));
    }
    return sum;
  }

  /// The largest distance of y from `expected(row, x, column)`, in units of `1 + |expected|`; infinite where y is no
  /// number.
  template <class Prepare>
  [[nodiscard]] double error(const Prepare& prepare) const {
    double worst = 0;
    for (std::size_t row = 0; row < static_cast<std::size_t>(row_count); ++row) {
      const auto expected = prepare(row);
      for (std::size_t c = 0; c < columns; ++c) {
        const double value = expected(at(row, c), c);
        const double distance = std::abs(double{float_of(y[row * columns + c])} - value) / (1 + std::abs(value));
        worst = std::max(worst, std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance);
      }
    }
    return worst;
  }

  std::size_t columns;
  int row_count;
  std::vector<T> x;
  std::vector<T> y;
};

template <class T, RowsPlan plan, class Operation>
void run(const Operation& operation, Matrix<T>& matrix, unsigned seed = 0) {
  using Kernel = Rows<T, Operation, plan>;
  dma::host::launch({.seed = seed}, Kernel{}, {Kernel::ctas(2)}, operation, static_cast<const T*>(matrix.x.data()),
                    matrix.y.data(), matrix.row_count);
}

/// Of y, beside the layer norm in double; `for_each(row, mean, factor)` sees each row's.
template <class T, class ForEach>
double distance_from_layer_norm(const Matrix<T>& matrix, const std::vector<T>& scale, const std::vector<T>& shift,
                                const ForEach& for_each) {
  const auto columns = static_cast<double>(matrix.columns);
  return matrix.error([&](std::size_t row) {
    const double mean = matrix.sum(row, [](double x) { return x; }) / columns;
    const double variance = matrix.sum(row, [&](double x) { return (x - mean) * (x - mean); }) / columns;
    const double factor = 1 / std::sqrt(variance + double{epsilon});
    for_each(row, mean, factor);
    return [=, &scale, &shift](double x, std::size_t c) {
      return (x - mean) * factor * double{float_of(scale[c])} + double{float_of(shift[c])};
    };
  });
}
template <class Kernel, RowsPlan plan = cluster_plan>
double held_rows_error(int rows, unsigned seed = 0) {
  Matrix<float> matrix(plan, rows);
  const Floats scale = parameters(plan.columns, 5);
  const Floats shift = parameters(plan.columns, 3);
  dma::host::launch({.seed = seed}, Kernel{}, {Kernel::ctas(2)}, static_cast<const float*>(matrix.x.data()),
                    scale.data(), shift.data(), matrix.y.data(), rows, epsilon);
  return distance_from_layer_norm(matrix, scale, shift, [](std::size_t, double, double) {});
}
template <class Kernel>
auto held_rows_proof(int rows) {
  Matrix<float> matrix(cluster_plan, rows);
  const Floats scale = parameters(cluster_plan.columns, 5);
  const Floats shift = parameters(cluster_plan.columns, 3);
  return dma::host::prove({.outputs = {dma::host::output(matrix.y)}}, Kernel{}, {Kernel::ctas(2)},
                          static_cast<const float*>(matrix.x.data()), scale.data(), shift.data(), matrix.y.data(), rows,
                          epsilon);
}

template <class T, RowsPlan plan>
double layer_norm_error(int rows, unsigned seed = 0) {
  Matrix<T> matrix(plan, rows);
  const auto scale = parameters<T>(plan.columns, 5);
  const auto shift = parameters<T>(plan.columns, 3);
  std::vector<RowStatistics> statistics(static_cast<std::size_t>(rows));
  run<T, plan>(LayerNormRows<T>{scale.data(), shift.data(), epsilon, statistics.data()}, matrix, seed);
  double worst = 0;
  const double error = distance_from_layer_norm(matrix, scale, shift, [&](std::size_t row, double mean, double factor) {
    worst = std::max({worst, std::abs(double{statistics[row].mean} / mean - 1),
                      std::abs(double{statistics[row].factor} / factor - 1)});
  });
  CHECK(worst < 1e-6);
  return error;
}
template <class T, RowsPlan plan>
double rms_norm_error(int rows) {
  Matrix<T> matrix(plan, rows);
  const auto scale = parameters<T>(plan.columns, 5);
  run<T, plan>(RmsNormRows<T>{scale.data(), epsilon}, matrix);
  return matrix.error([&](std::size_t row) {
    const double squares = matrix.sum(row, [](double x) { return x * x; });
    return [=, &scale](double x, std::size_t c) {
      return x / std::sqrt(squares / plan.columns + double{epsilon}) * double{float_of(scale[c])};
    };
  });
}
/// In units of the largest probability that a row of these values has.
template <class T, RowsPlan plan>
double softmax_error(int rows) {
  Matrix<T> matrix(plan, rows);
  run<T, plan>(SoftmaxRows{}, matrix);
  return 64 * matrix.error([&](std::size_t row) {
    const double sum = matrix.sum(row, [](double x) { return std::exp(x); });
    return [=](double x, std::size_t) { return std::exp(x) / sum; };
  });
}
template <class T, RowsPlan plan>
double log_sum_exp_error(int rows) {
  Matrix<T> matrix(plan, rows);
  Floats results(static_cast<std::size_t>(rows), NAN);
  run<T, plan>(LogSumExpRows{results.data()}, matrix);
  double worst = 0;
  for (std::size_t row = 0; row < results.size(); ++row) {
    const double expected = std::log(matrix.sum(row, [](double x) { return std::exp(x); }));
    const double distance = std::abs(double{results[row]} / expected - 1);
    worst = std::max(worst, std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance);
  }
  return worst;
}

/// Means of 100 are exact to 2^-17 of a float, and are divided by a deviation of more than 4 and multiplied by 8.
constexpr double most_error = 4e-5;
/// Half of the last place.
constexpr double most_bf16_error = 0x1p-8;

template <RowsPlan plan>
void check_all(int rows) {
  CHECK(layer_norm_error<float, plan>(rows) < most_error);
  CHECK(rms_norm_error<float, plan>(rows) < 1e-6);
  CHECK(softmax_error<float, plan>(rows) < 1e-5);
  CHECK(log_sum_exp_error<float, plan>(rows) < 1e-6);
}

/// The gradients of the backward of a layer norm, or of an RMS norm, by the derivative of the sum of dy * y in double:
/// of x, scale and shift, the largest distance from each in units of `1 + |expected|`.
template <class Operation, RowsPlan plan>
double backward_error(int rows, unsigned seed = 0) {
  constexpr bool is_layer_norm = Operation::gradient_rows == 2;
  using Kernel = RowsBackward<float, Operation, plan>;
  constexpr int groups = 2;
  constexpr std::size_t columns = plan.columns;
  Matrix<float> matrix(plan, rows);
  Floats dy(matrix.x.size());
  for (std::size_t i = 0; i < dy.size(); ++i) {
    dy[i] = static_cast<float>(i * 31 % 61) / 30.0F - 1.0F;
  }
  const Floats scale = parameters(plan.columns, 5);
  std::vector<RowStatistics> statistics;
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    const double mean = is_layer_norm ? matrix.sum(row, [](double x) { return x; }) / plan.columns : 0;
    const double squares = matrix.sum(row, [&](double x) { return (x - mean) * (x - mean); });
    statistics.push_back(
        {static_cast<float>(mean), static_cast<float>(1 / std::sqrt(squares / plan.columns + double{epsilon}))});
  }
  Floats parts[2];
  Floats gradients[2];
  for (int p = 0; p < 2; ++p) {
    parts[p].assign(columns * static_cast<std::size_t>(Kernel::part_rows(groups)), NAN);
    gradients[p].assign(columns, NAN);
  }
  const Operation operation = [&] {
    if constexpr (is_layer_norm) {
      return Operation{scale.data(), statistics.data(), parts[0].data(), parts[1].data()};
    } else {
      return Operation{scale.data(), statistics.data(), parts[0].data()};
    }
  }();
  dma::host::launch({.seed = seed}, Kernel{}, {Kernel::ctas(groups)}, operation,
                    static_cast<const float*>(matrix.x.data()), static_cast<const float*>(dy.data()), matrix.y.data(),
                    rows);
  for (std::size_t p = 0; p < Operation::gradient_rows; ++p) {
    dma::host::launch({.seed = seed}, AddRows{}, {plan.columns / AddRows::columns_a_cta},
                      static_cast<const float*>(parts[p].data()), Kernel::part_rows(groups), plan.columns,
                      gradients[p].data());
  }

  std::vector<double> of_parameters[2]{std::vector<double>(columns), std::vector<double>(columns)};
  double worst = matrix.error([&](std::size_t row) {
    const double mean = double{statistics[row].mean};
    const double factor = double{statistics[row].factor};
    double sum = 0;
    double projected = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      const double of_y = double{dy[row * columns + c]};
      const double normalized = (matrix.at(row, c) - mean) * factor;
      of_parameters[0][c] += of_y * normalized;
      of_parameters[1][c] += of_y;
      sum += of_y * double{scale[c]};
      projected += of_y * double{scale[c]} * normalized;
    }
    return [=, &dy, &scale](double x, std::size_t c) {
      const double gradient = double{dy[row * columns + c]} * double{scale[c]};
      const double normalized = (x - mean) * factor;
      return factor * (gradient - (is_layer_norm ? sum / plan.columns : 0) - normalized * projected / plan.columns);
    };
  });
  for (std::size_t p = 0; p < Operation::gradient_rows; ++p) {
    for (std::size_t c = 0; c < columns; ++c) {
      const double expected = of_parameters[p][c];
      const double distance = std::abs(double{gradients[p][c]} - expected) / (1 + std::abs(expected));
      worst = std::max(worst, std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance);
    }
  }
  return worst;
}

template <RowsPlan plan>
auto proof_of(int rows) {
  using Kernel = Rows<float, LayerNormRows<float>, plan>;
  Matrix<float> matrix(plan, rows);
  const Floats scale = parameters(plan.columns, 5);
  const Floats shift = parameters(plan.columns, 3);
  return dma::host::prove({.outputs = {dma::host::output(matrix.y)}}, Kernel{}, {Kernel::ctas(2)},
                          LayerNormRows<float>{scale.data(), shift.data(), epsilon},
                          static_cast<const float*>(matrix.x.data()), matrix.y.data(), rows);
}

}  // namespace

TEST_CASE("rows of a warp each, of several warps and of a CTA") {
  check_all<warp_plan>(18);
  check_all<warps_plan>(5);
  check_all<cta_plan>(5);
}

TEST_CASE("rows of a cluster") {
  for (unsigned seed = 0; seed < 4; ++seed) {
    CHECK(layer_norm_error<float, cluster_plan>(5, seed) < most_error);
    CHECK(held_rows_error<HeldAhead>(5, seed) < most_error);
    CHECK(held_rows_error<HeldAheadByAPiece>(7, seed) < most_error);
    CHECK(held_rows_error<HeldInOneSlot>(4, seed) < most_error);
  }
  check_all<cluster_plan>(3);
  CHECK(layer_norm_error<float, many_sums_plan>(3) < most_error);
  CHECK(held_rows_error<HeldManyMoments, many_sums_plan>(3) < most_error);
}

TEST_CASE("rows of bfloat16 are rounded once") {
  CHECK(layer_norm_error<BFloat16, warp_plan>(5) < most_bf16_error);
  CHECK(rms_norm_error<BFloat16, bf16_plan>(3) < most_bf16_error);
}

TEST_CASE("gradients of a norm's rows and parameters") {
  CHECK(backward_error<LayerNormBackward<float>, warp_plan>(18) < 1e-5);
  CHECK(backward_error<RmsNormBackward<float>, pieces_plan>(5) < 1e-5);
  CHECK(backward_error<LayerNormBackward<float>, cluster_plan>(5, 1) < 1e-5);
}

TEST_CASE("softmax of masked values") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Matrix<float> matrix(warp_plan, 1);
  std::fill(matrix.x.begin(), matrix.x.end(), -infinity);
  matrix.x[3] = 1e30F;
  run<float, warp_plan>(SoftmaxRows{}, matrix);
  CHECK(matrix.y[3] == 1);
  CHECK(std::count(matrix.y.begin(), matrix.y.end(), 0.0F) == warp_plan.columns - 1);
}

TEST_CASE("rows are proved") {
  for (int rows = 0; rows < 4; ++rows) {
    CHECK_THAT(proof_of<cta_plan>(rows), IsProved());
    CHECK_THAT(proof_of<cluster_plan>(rows), IsProved());
  }
  CHECK_THAT(held_rows_proof<HeldAhead>(5), IsProved());
  CHECK_THAT(held_rows_proof<HeldAheadByAPiece>(5), IsProved());
  CHECK_THAT(held_rows_proof<HeldInOneSlot>(4), IsProved());
  CHECK_THAT(proof_of<warp_plan>(6), IsProved());
  CHECK_THAT(proof_of<warps_plan>(5), IsProved());
}

TEST_CASE("a plan says how it shares rows") {
  CHECK(to_string(warp_plan) ==
        "256 columns: 4 rows a CTA at a time, 1 warp and 8 values a thread; 2 stages of 1024 elements");
  CHECK(to_string(cluster_plan) ==
        "2048 columns: a cluster of 4 CTAs at a time, 2 warps and 8 values a thread; 4 stages of 256 elements");
}
