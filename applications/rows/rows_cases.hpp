#pragma once

/// Operations on rows, and the backward of the norms, beside loops in double. `Machine` launches a kernel and has the
/// vectors whose elements it reads: the emulator's or a GPU's.

#include "backward.hpp"
#include "kernel.hpp"
#include "long_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace rows_cases {

/// A row a warp, four rows a tile.
inline constexpr RowsPlan warp_plan{.columns = 256, .warps = 4, .warps_a_row = 1, .stages = 2};
/// Rows of 8 and of 16 lanes of a warp.
inline constexpr RowsPlan eight_lanes_plan{
    .columns = 256, .warps = 2, .warps_a_row = 1, .rows_a_warp = 4, .stages = 2, .at_once = 1};
inline constexpr RowsPlan sixteen_lanes_plan{
    .columns = 512, .warps = 2, .warps_a_row = 1, .rows_a_warp = 2, .stages = 1, .at_once = 2};
/// Two warps a row, two rows a tile; half of the parameters at a time.
inline constexpr RowsPlan warps_plan{.columns = 512, .warps = 4, .warps_a_row = 2, .stages = 1, .at_once = 1};
/// Rows in two pieces, with slots for a row and a half.
inline constexpr RowsPlan cta_plan{.columns = 1024, .warps = 2, .warps_a_row = 2, .pieces = 2, .stages = 3};
/// Slots for a row, its x and dy.
inline constexpr RowsPlan pieces_plan{.columns = 512, .warps = 2, .warps_a_row = 2, .pieces = 2, .stages = 4};
/// A cluster a row, with slots for two rows.
inline constexpr RowsPlan cluster_plan{
    .columns = 2048, .warps = 2, .warps_a_row = 2, .ctas_a_row = 4, .pieces = 2, .stages = 4, .at_once = 1};
/// A cluster a row, which is kept in slots: for three rows, or for two with half of the parameters at a time.
inline constexpr RowsPlan long_plan{
    .columns = 2048, .warps = 2, .warps_a_row = 2, .ctas_a_row = 4, .stages = 3, .kept = Kept::in_slots};
inline constexpr RowsPlan two_slots_plan{
    .columns = 2048, .warps = 2, .warps_a_row = 2, .ctas_a_row = 2, .stages = 2, .at_once = 2, .kept = Kept::in_slots};
inline constexpr RowsPlan bf16_plan{
    .columns = 4096, .warps = 2, .warps_a_row = 2, .ctas_a_row = 4, .pieces = 2, .stages = 3};
/// More sums a row than lanes.
inline constexpr RowsPlan many_sums_plan{.columns = 8192, .warps = 8, .warps_a_row = 8, .ctas_a_row = 8, .stages = 1};

/// Values around a mean that is large beside their distances from it.
inline float value_at(std::size_t i) { return 100.0F + static_cast<float>(i * 7919 % 1013) / 64.0F; }
/// Whole numbers, which bfloat16 has too.
template <class Machine, class T = float>
typename Machine::template Vector<T> parameters(int columns, std::size_t step) {
  typename Machine::template Vector<T> values(static_cast<std::size_t>(columns));
  for (std::size_t c = 0; c < values.size(); ++c) {
    round_to(values[c], static_cast<float>(c * step % 17) - 8.0F);
  }
  return values;
}

inline constexpr float epsilon = 1e-5F;

/// A matrix of rows, and what the operations make of it, in double.
template <class Machine, class T>
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
  typename Machine::template Vector<T> x;
  typename Machine::template Vector<T> y;
};

template <class T, RowsPlan plan, class Machine, class Operation>
void run(const Machine& machine, const Operation& operation, Matrix<Machine, T>& matrix) {
  using Kernel = RowsKernel<T, Operation, plan>;
  machine.launch(Kernel{}, Kernel::ctas(2), operation, static_cast<const T*>(matrix.x.data()), matrix.y.data(),
                 matrix.row_count);
}

/// Of y, beside the layer norm in double; `for_each(row, mean, factor)` sees each row's.
template <class Machine, class T, class Parameters, class ForEach>
double distance_from_layer_norm(const Matrix<Machine, T>& matrix, const Parameters& scale, const Parameters& shift,
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
/// Infinite where a row's mean or factor is wrong by more than 10^-6 of it.
template <class T, RowsPlan plan, class Machine>
double layer_norm_error(const Machine& machine, int rows) {
  Matrix<Machine, T> matrix(plan, rows);
  const auto scale = parameters<Machine, T>(plan.columns, 5);
  const auto shift = parameters<Machine, T>(plan.columns, 3);
  typename Machine::template Vector<RowStatistics> statistics(static_cast<std::size_t>(rows));
  run<T, plan>(machine, LayerNormRows<T>{scale.data(), shift.data(), epsilon, statistics.data()}, matrix);
  double worst = 0;
  const double error = distance_from_layer_norm(matrix, scale, shift, [&](std::size_t row, double mean, double factor) {
    worst = std::max({worst, std::abs(double{statistics[row].mean} / mean - 1),
                      std::abs(double{statistics[row].factor} / factor - 1)});
  });
  return worst < 1e-6 ? error : std::numeric_limits<double>::infinity();
}
template <class T, RowsPlan plan, class Machine>
double rms_norm_error(const Machine& machine, int rows) {
  Matrix<Machine, T> matrix(plan, rows);
  const auto scale = parameters<Machine, T>(plan.columns, 5);
  run<T, plan>(machine, RmsNormRows<T>{scale.data(), epsilon}, matrix);
  return matrix.error([&](std::size_t row) {
    const double squares = matrix.sum(row, [](double x) { return x * x; });
    return [=, &scale](double x, std::size_t c) {
      return x / std::sqrt(squares / plan.columns + double{epsilon}) * double{float_of(scale[c])};
    };
  });
}
/// In units of the largest probability that a row of these values has.
template <class T, RowsPlan plan, class Machine>
double softmax_error(const Machine& machine, int rows) {
  Matrix<Machine, T> matrix(plan, rows);
  run<T, plan>(machine, SoftmaxRows{}, matrix);
  return 64 * matrix.error([&](std::size_t row) {
    const double sum = matrix.sum(row, [](double x) { return std::exp(x); });
    return [=](double x, std::size_t) { return std::exp(x) / sum; };
  });
}
template <class T, RowsPlan plan, class Machine>
double log_sum_exp_error(const Machine& machine, int rows) {
  Matrix<Machine, T> matrix(plan, rows);
  typename Machine::template Vector<float> results(static_cast<std::size_t>(rows), NAN);
  run<T, plan>(machine, LogSumExpRows{results.data()}, matrix);
  double worst = 0;
  for (std::size_t row = 0; row < results.size(); ++row) {
    const double expected = std::log(matrix.sum(row, [](double x) { return std::exp(x); }));
    const double distance = std::abs(double{results[row]} / expected - 1);
    worst = std::max(worst, std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance);
  }
  return worst;
}

/// Means of 100 are exact to 2^-17 of a float, and are divided by a deviation of more than 4 and multiplied by 8.
inline constexpr double most_error = 4e-5;
/// Half of the last place.
inline constexpr double most_bf16_error = 0x1p-8;
/// Of up to 120 rows.
inline constexpr double most_gradient_error = 1e-5;

/// The largest error of all operations, in units of what is allowed.
template <RowsPlan plan, class Machine>
double worst_of_all(const Machine& machine, int rows) {
  return std::max({layer_norm_error<float, plan>(machine, rows) / most_error,
                   rms_norm_error<float, plan>(machine, rows) / 1e-6, softmax_error<float, plan>(machine, rows) / 1e-5,
                   log_sum_exp_error<float, plan>(machine, rows) / 1e-6});
}

template <class Machine>
typename Machine::template Vector<float> gradients_of_y(std::size_t count) {
  typename Machine::template Vector<float> dy(count);
  for (std::size_t i = 0; i < count; ++i) {
    dy[i] = static_cast<float>(i * 31 % 61) / 30.0F - 1.0F;
  }
  return dy;
}

/// Of each row, of a layer norm or of an RMS norm, which takes no mean.
template <class Machine, RowsPlan plan, class Matrix>
typename Machine::template Vector<RowStatistics> statistics_of(const Matrix& matrix, int rows, bool has_mean) {
  typename Machine::template Vector<RowStatistics> statistics;
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    const double mean = has_mean ? matrix.sum(row, [](double x) { return x; }) / plan.columns : 0;
    const double squares = matrix.sum(row, [&](double x) { return (x - mean) * (x - mean); });
    statistics.push_back(
        {static_cast<float>(mean), static_cast<float>(1 / std::sqrt(squares / plan.columns + double{epsilon}))});
  }
  return statistics;
}

/// The gradients of the backward of a layer norm, or of an RMS norm, by the derivative of the sum of dy * y in double:
/// of x, scale and shift, the largest distance from each in units of `1 + |expected|`.
template <class Operation, RowsPlan plan, class Machine>
double backward_error(const Machine& machine, int rows) {
  using Floats = typename Machine::template Vector<float>;
  constexpr bool is_layer_norm = Operation::gradient_rows == 2;
  using Kernel = RowsBackward<float, Operation, plan>;
  constexpr int groups = 2;
  constexpr std::size_t columns = plan.columns;
  Matrix<Machine, float> matrix(plan, rows);
  const Floats dy = gradients_of_y<Machine>(matrix.x.size());
  const Floats scale = parameters<Machine>(plan.columns, 5);
  const auto statistics = statistics_of<Machine, plan>(matrix, rows, is_layer_norm);
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
  machine.launch(Kernel{}, Kernel::ctas(groups), operation, static_cast<const float*>(matrix.x.data()),
                 static_cast<const float*>(dy.data()), matrix.y.data(), rows);
  machine.launch(GradientSums{}, GradientSums::ctas(Operation::gradient_rows, plan.columns),
                 GradientParts{parts[0].data(), gradients[0].data()},
                 GradientParts{parts[1].data(), gradients[1].data()}, Kernel::part_rows(groups), plan.columns);

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

}  // namespace rows_cases
