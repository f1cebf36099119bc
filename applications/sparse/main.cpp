// Products of sparse matrices by rows: prints each matrix and its plan, checks the product against float64 and
// measures. Runs on the GPU where there is one, otherwise on the emulator. Exits with 1 when a result is wrong, with 4
// when a GPU was asked for and there is none.

#include "../choose.hpp"
#include "matrices.hpp"
#include "runner.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

using sparse::Matrix;
using sparse::Plan;

struct Options {
  std::vector<std::string> matrices{std::begin(sparse::matrix_names), std::end(sparse::matrix_names)};
  int nonzeros = 0;
  std::vector<int> columns{1, 32};
  std::string on = "auto";
  bool times = true;
};

/// The largest error, in units of what float32 may make of a row of so many products.
double worst_error(const sparse::Product& product, const std::vector<float>& c) {
  const Matrix& m = product.a;
  const std::size_t columns = static_cast<std::size_t>(product.columns);
  double worst = 0;
  for (std::size_t row = 0; row < static_cast<std::size_t>(m.rows); ++row) {
    const int begin = m.offsets[row];
    const int end = m.offsets[row + 1];
    for (std::size_t col = 0; col < columns; ++col) {
      double sum = 0;
      double magnitudes = 0;
      for (int i = begin; i < end; ++i) {
        const std::size_t at = static_cast<std::size_t>(i);
        const double factor = product.b[static_cast<std::size_t>(m.columns[at]) * columns + col];
        sum += m.values[at] * factor;
        magnitudes += std::abs(m.values[at] * factor);
      }
      const double error = std::abs(c[row * columns + col] - sum);
      const double bound = magnitudes * std::ldexp(end - begin + 8, -24);
      worst = std::isnan(error) ? INFINITY : std::max(worst, error == 0 ? 0 : error / bound);
    }
  }
  return worst;
}

/// Multiplies once, checks and measures. Returns whether the product is right.
bool solve(sparse::Runner& runner, const Matrix& m, const Plan& plan, int columns, bool measures) {
  sparse::Hash random(2);
  std::vector<float> b(static_cast<std::size_t>(m.cols) * static_cast<std::size_t>(columns));
  std::generate(b.begin(), b.end(), [&] { return static_cast<float>(random.fraction() * 2 - 1); });
  const sparse::Product product{m, plan, columns, b};
  const double error = worst_error(product, runner.run(product));
  std::printf("  %3d columns: error %.3f of its bound%s", columns, error, error <= 1 ? "" : " WRONG");
  if (const double seconds = measures ? runner.time(product) : 0; seconds != 0) {
    const double bytes = 8.0 * m.nonzeros() + 4.0 * m.rows + 4.0 * columns * (1.0 * m.rows + m.cols);
    std::printf("  %8.1f us  %6.1f products/ns  %5.0f GB/s", seconds * 1e6, 1e-9 * m.nonzeros() * columns / seconds,
                1e-9 * bytes / seconds);
  }
  std::printf("\n");
  return error <= 1;
}

int run(int argc, char** argv) {
  CLI::App app("Products of sparse matrices, C = A B, with A in compressed sparse rows");
  Options options;
  app.add_option("--matrix", options.matrices, "which of the generated ones")
      ->check(CLI::IsMember(std::vector<std::string>(options.matrices)));
  app.add_option("--nonzeros", options.nonzeros, "of each, about (default: 12 million on a GPU, 6000 on the host)")
      ->check(CLI::Range(6000, 1 << 28));
  app.add_option("--columns", options.columns, "of B: 1, or a multiple of 8");
  app.add_option("--on", options.on, "where to run")->check(CLI::IsMember({"auto", "gpu", "host"}));
  app.add_flag("--time,!--no-time", options.times, "on a GPU: measure, or only check");
  CLI11_PARSE(app, argc, argv);
  for (const int columns : options.columns) {
    if (columns != 1 && (columns <= 0 || columns % 8 != 0)) {
      std::fprintf(stderr, "sparse: B has %d columns; give 1, or a multiple of 8\n", columns);
      return 1;
    }
  }
  sparse::Runner* const runner = choose(options.on, sparse::device_runner, sparse::host_runner());
  if (runner == nullptr) {
    return 4;
  }
  std::printf("%s\n", runner->name().c_str());
  const bool is_host = runner == &sparse::host_runner();
  const int nonzeros = options.nonzeros != 0 ? options.nonzeros : is_host ? 6000 : 12 << 20;
  bool is_right = true;
  for (const std::string& name : options.matrices) {
    const Matrix m = sparse::make_matrix(name, nonzeros);
    const Plan plan =
        sparse::make_plan({m.rows, m.cols, m.nonzeros(), m.offsets.data(), m.columns.data(), m.values.data()});
    std::printf("%s: %d x %d, %d nonzeros; ", name.c_str(), m.rows, m.cols, m.nonzeros());
    if (plan.lanes != 0) {
      std::printf("rows by %d lanes each%s\n", plan.lanes, plan.is_scattered ? ", columns anywhere" : "");
    } else {
      std::printf("%d chunks, %zu split rows\n", plan.chunks(), plan.split.size());
    }
    for (const int columns : options.columns) {
      is_right = solve(*runner, m, plan, columns, options.times) && is_right;
    }
  }
  return is_right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try { return run(argc, argv); } catch (const std::exception& error) {
  std::fprintf(stderr, "sparse: %s\n", error.what());
  return 1;
}
