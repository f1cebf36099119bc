// C = A B^T (+ bias) (+ C) of bf16 or f16 numbers: prints the plan of each shape, checks the product and measures. Runs
// on the GPU where there is one, otherwise on the emulator. Exits with 1 when a result is wrong, with 4 when a GPU was
// asked for and there is none.

#include "../choose.hpp"
#include "runner.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace {

using gemm::Plan;
using gemm::Problem;
using gemm::Runner;

struct Options {
  std::vector<int> m{4096}, n{4096}, k{4096};
  int pad = 0;  ///< elements between rows, a multiple of 8
  std::vector<int> tile_columns;
  int divided = 0;
  bool has_bias = false;
  bool adds_c = false;
  bool is_f16 = false;
  bool are_integers = false;
  bool times = true;
  std::string on = "auto";
};

/// A matrix whose rows are `pad` elements apart, NaN there: what is read or written there shows.
template <class Element>
std::vector<Element> random_matrix(int rows, int columns, int pad, bool are_integers, unsigned seed) {
  const std::size_t distance = static_cast<std::size_t>(columns + pad);
  std::vector<Element> matrix(static_cast<std::size_t>(rows) * distance, Element(__builtin_nanf("")));
  std::minstd_rand random(seed);
  std::normal_distribution<float> normal;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    if (i % distance < static_cast<std::size_t>(columns)) {
      matrix[i] = Element(are_integers ? static_cast<float>(static_cast<int>(random() % 5) - 2) : normal(random));
    }
  }
  return matrix;
}

/// The largest error of C in units of what is allowed: of integers below 2^24 none beside the last rounding, otherwise
/// that of fp32 sums too. Of a large C only some elements are looked at. Infinity where an element beside C is written.
template <class Element>
double worst_error(const Problem<Element>& p, const std::vector<Element>& before, bool are_integers) {
  const long long most = (1LL << 27) / p.k;
  const long long elements = static_cast<long long>(p.m) * p.n;
  const long long step = elements <= most ? 1 : elements / most | 1;
  double worst = 0;
  for (long long at = 0; at < elements; at += step) {
    const long long row = at / p.n, column = at % p.n;
    double sum = p.bias != nullptr ? static_cast<double>(static_cast<float>(p.bias[column])) : 0;
    sum +=
        p.adds_c ? static_cast<double>(static_cast<float>(before[static_cast<std::size_t>(row * p.ldc + column)])) : 0;
    double magnitudes = std::abs(sum);
    for (int i = 0; i < p.k; ++i) {
      const double product = static_cast<double>(static_cast<float>(p.a[row * p.lda + i])) *
                             static_cast<double>(static_cast<float>(p.b[column * p.ldb + i]));
      sum += product;
      magnitudes += std::abs(product);
    }
    const double exact = static_cast<float>(Element(static_cast<float>(sum)));
    const double error = std::abs(static_cast<double>(static_cast<float>(p.c[row * p.ldc + column])) - exact);
    const double of_element = std::ldexp(1.0, std::is_same_v<Element, gemm::Half> ? -10 : -7) * std::abs(sum);
    const double bound = are_integers ? 0 : of_element + magnitudes * std::ldexp(p.k + 8, -24);
    worst = std::isnan(error) ? INFINITY : std::max(worst, error == 0 ? 0 : error / bound);
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (static_cast<long long>(i) % p.ldc >= p.n && !std::isnan(static_cast<float>(p.c[i]))) {
      return INFINITY;
    }
  }
  return worst;
}

/// Multiplies, checks and measures. Returns whether the product is right.
template <class Element>
bool solve(Runner& runner, int m, int n, int k, const Options& options) {
  const auto a = random_matrix<Element>(m, k, options.pad, options.are_integers, 1);
  const auto b = random_matrix<Element>(n, k, options.pad, options.are_integers, 2);
  const auto before = random_matrix<Element>(m, n, options.pad, options.are_integers, 3);
  const auto bias = random_matrix<Element>(1, n, 0, options.are_integers, 4);
  auto c = before;
  const Problem<Element> p{m,
                           n,
                           k,
                           a.data(),
                           k + options.pad,
                           b.data(),
                           k + options.pad,
                           c.data(),
                           n + options.pad,
                           options.has_bias ? bias.data() : nullptr,
                           options.adds_c};
  std::vector<Plan> plans;
  for (const int columns : options.tile_columns) {
    const gemm::TileShape shape{128, columns};
    const int tiles = gemm::make_plan(m, n, k, 1, shape, 0).tiles();
    const int divided = std::min(options.divided, tiles);
    const int blocks = (k + gemm::block - 1) / gemm::block;
    const int ctas = divided == 0 ? runner.sms() : std::min(runner.sms(), divided * blocks);
    plans.push_back(gemm::make_plan(m, n, k, ctas, shape, divided));
  }
  if (plans.empty()) {
    plans.push_back(gemm::make_plan(m, n, k, runner.sms(), (k + options.pad) % gemm::block == 0));
  }
  bool is_right = true;
  for (const Plan& plan : plans) {
    std::copy(before.begin(), before.end(), c.begin());
    runner.run(p, plan);
    const double error = worst_error(p, before, options.are_integers);
    std::printf("%d x %d x %d: %s: error %.3f of its bound%s", m, n, k, describe(plan).c_str(), error,
                error <= 1 ? "" : " WRONG");
    if (const double seconds = options.times ? runner.time() : 0; seconds != 0) {
      std::printf("  %.2f us  %.1f TFLOP/s", seconds * 1e6, 2e-12 * m * n * k / seconds);
    }
    std::printf("\n");
    is_right = is_right && error <= 1;
  }
  return is_right;
}

int run(int argc, char** argv) {
  CLI::App app("C = A B^T (+ bias) (+ C) on tensor cores: A is m x k, B n x k, C m x n");
  Options options;
  const CLI::Range positive(1, std::numeric_limits<int>::max());
  const CLI::Range not_negative(0, std::numeric_limits<int>::max());
  app.add_option("--m", options.m, "rows of C, of one product after another")->check(positive);
  app.add_option("--n", options.n, "columns of C, multiples of 8")->check(positive);
  app.add_option("--k", options.k, "products that are summed, multiples of 8")->check(positive);
  app.add_option("--pad", options.pad, "elements between rows, a multiple of 8")->check(not_negative);
  app.add_option("--tile-columns", options.tile_columns, "instead of the planned ones")
      ->check(CLI::IsMember({64, 128, 144, 192, 256}));
  app.add_option("--divided", options.divided, "tiles that all CTAs divide among them, with --tile-columns")
      ->check(not_negative);
  app.add_flag("--bias", options.has_bias, "a number is added to each column of C");
  app.add_flag("--add", options.adds_c, "C is added to");
  app.add_flag("--f16", options.is_f16, "f16 instead of bf16");
  app.add_flag("--integers", options.are_integers, "small integers, whose sums are exact");
  app.add_flag("--time,!--no-time", options.times, "on a GPU: measure, or only check");
  app.add_option("--on", options.on, "where to run")->check(CLI::IsMember({"auto", "gpu", "host"}));
  CLI11_PARSE(app, argc, argv);
  if (options.n.size() != options.m.size() || options.k.size() != options.m.size()) {
    std::fprintf(stderr, "gemm: --m names %zu products, --n %zu and --k %zu; give as many\n", options.m.size(),
                 options.n.size(), options.k.size());
    return 1;
  }
  Runner* const runner = choose(options.on, gemm::device_runner, gemm::host_runner());
  if (runner == nullptr) {
    return 4;
  }
  std::printf("%s\n", runner->name().c_str());
  bool is_right = true;
  for (std::size_t i = 0; i < options.m.size(); ++i) {
    const auto solved = options.is_f16 ? solve<gemm::Half> : solve<gemm::BFloat16>;
    is_right = solved(*runner, options.m[i], options.n[i], options.k[i], options) && is_right;
  }
  return is_right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try { return run(argc, argv); } catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
