// SGEMV through DMA warps: y = alpha op(A) x + beta y, column-major, as in BLAS. Checks every element against float64.
// Runs and measures on the GPU where there is one. Otherwise it emulates every thread on the host, and with --demo
// proves the kernels and draws a timeline. Exits with 1 when a result is wrong or a kernel is not proved, with 4 when a
// GPU was asked for and there is none.

#include "../choose.hpp"
#include "runner.hpp"
#include "show.hpp"
#include "variants.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using sgemv::elements_of;
using sgemv::Op;
using sgemv::Problem;
using sgemv::Runner;

struct Options {
  std::vector<int> m;  ///< of one problem after another
  std::vector<int> n;
  int pad = 0;  ///< rows between m and lda
  std::vector<std::string> ops = {"N"};
  int incx = 1;
  int incy = 1;
  float alpha = 1.5F;
  float beta = 0;
  unsigned seed = 1;
  std::string variant = "all";
  std::string on = "auto";
  bool times = true;
  std::string demo;  ///< the SVG to draw on a host, none where empty
};

constexpr std::size_t most_elements = std::size_t{1} << 37;  ///< of an array: half a terabyte

/// The distance of two elements of a vector.
std::size_t stride_of(int increment) { return static_cast<std::size_t>(std::abs(static_cast<long long>(increment))); }

/// A, x and y with values in [-1, 1). Where a kernel must not read they are NaN: in the rows between m and lda, between
/// the elements of x and y, and in y where beta is 0.
struct Data {
  std::vector<float> a, x, y;
  Problem problem;

  Data(Op op, int m, int n, const Options& options)
      : problem{op,
                m,
                n,
                options.alpha,
                nullptr,
                static_cast<long long>(m) + options.pad,
                nullptr,
                options.incx,
                options.beta,
                nullptr,
                options.incy} {
    sgemv::expect_valid(problem);
    // The sums of numbers up to 1 are then neither above float32 nor below its normal numbers.
    const auto is_moderate = [](double factor) {
      return factor == 0 || (std::abs(factor) >= 1e-18 && std::abs(factor) <= 1e18);
    };
    if (!is_moderate(options.alpha) || !is_moderate(options.beta)) {
      throw std::invalid_argument(
          "sgemv: the answers are compared with float64 to float32's precision, which not every alpha and beta leaves; "
          "give finite ones, 0 or of a magnitude from 1e-18 to 1e18");
    }
    const std::size_t elements_of_a = static_cast<std::size_t>(problem.lda) * static_cast<std::size_t>(n);
    const std::size_t elements_of_x = elements_of(problem.summed(), options.incx);
    const std::size_t elements_of_y = elements_of(problem.outputs(), options.incy);
    const auto refuse_size = [&] {
      throw std::invalid_argument("sgemv: A, x and y have " + std::to_string(elements_of_a) + ", " +
                                  std::to_string(elements_of_x) + " and " + std::to_string(elements_of_y) +
                                  " elements, for which there is no memory; give smaller extents or strides");
    };
    if (std::max({elements_of_a, elements_of_x, elements_of_y}) > most_elements) {
      refuse_size();
    }
    try {
      a.resize(elements_of_a);
      x.assign(elements_of_x, std::nanf(""));
      y.assign(elements_of_y, std::nanf(""));
    } catch (const std::bad_alloc&) {
      refuse_size();
    }
    problem.a = a.data();
    problem.x = x.data();
    problem.y = y.data();
    std::minstd_rand random(options.seed);
    const auto value = [&] { return static_cast<float>(random() % (1U << 24)) / static_cast<float>(1U << 23) - 1.0F; };
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<int>(i % static_cast<std::size_t>(problem.lda)) < m ? value() : std::nanf("");
    }
    for (std::size_t i = 0; i < x.size(); i += stride_of(options.incx)) {
      x[i] = value();
    }
    for (std::size_t i = 0; options.beta != 0 && i < y.size(); i += stride_of(options.incy)) {
      y[i] = value();
    }
  }
};

/// y in float64, and for each element the largest error that float32 can make: as many roundings as terms and 8 more,
/// in any order of summation.
struct Reference {
  std::vector<double> y, bound;

  explicit Reference(const Problem& p) : y(static_cast<std::size_t>(p.outputs())), bound(y.size()) {
    for (int j = 0; j < p.n; ++j) {
      const float* const column = p.a + j * p.lda;
      for (int i = 0; i < p.m; ++i) {
        const auto output = static_cast<std::size_t>(p.op == Op::n ? i : j);
        const double product = static_cast<double>(column[i]) * at(p.x, p.summed(), p.incx, p.op == Op::n ? j : i);
        y[output] += product;
        bound[output] += std::abs(product);
      }
    }
    const double rounding = std::ldexp(1.001, -24);
    const double alpha = p.alpha;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double before =
          p.beta == 0 ? 0 : static_cast<double>(p.beta) * at(p.y, p.outputs(), p.incy, static_cast<int>(i));
      y[i] = y[i] * alpha + before;
      bound[i] = (bound[i] * std::abs(alpha) + std::abs(before)) * (p.summed() + 8) * rounding;
    }
  }

  /// The largest error in units of its bound; NaN anywhere counts as infinite.
  [[nodiscard]] double worst(const Problem& p) const {
    double worst = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double error = std::abs(at(p.y, p.outputs(), p.incy, static_cast<int>(i)) - y[i]);
      worst = std::isnan(error) ? INFINITY : std::max(worst, error == 0 ? 0 : error / bound[i]);
    }
    return worst;
  }

 private:
  /// Element i of a vector of BLAS: those of a negative stride are counted from the end.
  [[nodiscard]] static double at(const float* vector, int count, int stride, int i) {
    const long long place =
        stride > 0 ? static_cast<long long>(i) * stride : (count - 1LL - i) * -static_cast<long long>(stride);
    return vector[place];
  }
};

void parse(CLI::App& app, Options& options) {
  const CLI::Range positive(1, std::numeric_limits<int>::max());
  const CLI::Range not_negative(0, std::numeric_limits<int>::max());
  app.add_option("--m", options.m, "rows of A, of one problem after another (default: 8192 on a GPU, 512 on the host)")
      ->check(positive);
  app.add_option("--n", options.n, "columns of A, as many as --m (default: square)")->check(positive);
  app.add_option("--pad", options.pad, "rows between one column of A and the next: lda is m + pad")
      ->check(not_negative);
  app.add_option("--op", options.ops, "A as it is, transposed, or one after the other")
      ->check(CLI::IsMember({"N", "T"}));
  app.add_option("--incx", options.incx, "from one element of x to the next");
  app.add_option("--incy", options.incy, "from one element of y to the next");
  app.add_option("--alpha", options.alpha, "factor of A x");
  app.add_option("--beta", options.beta, "factor of y");
  app.add_option("--seed", options.seed, "of the input");
  std::vector<std::string> names(std::begin(sgemv::variant_names), std::end(sgemv::variant_names));
  names.emplace_back("all");
  app.add_option("--variant", options.variant, "which kernel")->check(CLI::IsMember(names));
  app.add_option("--on", options.on, "where to run")->check(CLI::IsMember({"auto", "gpu", "host"}));
  app.add_flag("--time,!--no-time", options.times, "on a GPU: measure, or only check");
  app.add_option("--demo", options.demo, "on a host: prove the kernels too, and draw what their warps do in this SVG");
}

/// What is printed of each variant beside whether its result is right.
struct Extras {
  double copy_rate = 0;  ///< 0: no times
  bool proofs = false;
};

/// Proves one variant, on a host, and prints the result on its line. Returns whether it is right under every schedule.
bool report_proof(const std::string& variant, Op op) {
  const sgemv::Proof proof = sgemv::prove_on_host(variant, op);
  if (proof.operations == 0) {
    std::printf("   the kernel of this shape is not proved here");
  } else if (proof.is_proved) {
    std::printf("   proved for every schedule: %6zu operations, %.2f s", proof.operations, proof.seconds);
  } else {
    std::printf("   NOT PROVED: %s", proof.finding.c_str());
  }
  return proof.is_proved;
}

/// Runs one variant twice, checks it, and proves or measures it. Returns whether both results are right and equal.
bool report(Runner& runner, const Problem& p, const Reference& reference, const std::string& variant,
            const Extras& extras) {
  std::printf("  %-12s ", variant.c_str());
  std::fflush(stdout);
  const std::size_t bytes_of_y = elements_of(p.outputs(), p.incy) * sizeof(float);
  runner.run(variant);
  const std::vector<float> first(p.y, p.y + bytes_of_y / sizeof(float));
  runner.run(variant);
  const double error = reference.worst(p);
  const bool repeats = std::memcmp(first.data(), p.y, bytes_of_y) == 0;
  bool is_right = error <= 1 && repeats;
  std::printf("error %.4f of its bound%s%s", error, error <= 1 ? "" : " WRONG", repeats ? "" : " NOT THE SAME TWICE");
  if (extras.proofs) {
    is_right = report_proof(variant, p.op) && is_right;
  }
  if (extras.copy_rate != 0) {
    const double seconds = runner.time(variant);
    const double bytes = 4.0 * (static_cast<double>(p.m) * p.n + p.n + p.m);
    std::printf("  %10.2f us  %8.3f GB/s  %5.1f%% of the copy rate", seconds * 1e6, bytes / seconds * 1e-9,
                100 * bytes / seconds / extras.copy_rate);
  }
  std::printf("\n");
  return is_right;
}

/// Solves one problem with every requested variant. Returns whether all results are right.
bool solve(Runner& runner, Op op, int m, int n, const Options& options, const Extras& extras) {
  const Data data(op, m, n, options);
  const Problem& p = data.problem;
  const Reference reference(p);
  runner.load(p);
  std::printf("y = alpha %s x + beta y, m = %d, n = %d, lda = %lld, %d-byte accesses\n", op == Op::n ? "A" : "A^T", p.m,
              p.n, p.lda, sgemv::access_of(p).alignment);
  bool all_right = true;
  for (const std::string variant : sgemv::variant_names) {
    if (options.variant == "all" || options.variant == variant) {
      all_right = report(runner, p, reference, variant, extras) && all_right;
    }
  }
  return all_right;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app(
      "y = alpha op(A) x + beta y through DMA warps, in the six variants of SC'11, section 6.1, and by the best "
      "kernel");
  Options options;
  parse(app, options);
  CLI11_PARSE(app, argc, argv);

  Runner* const runner = choose(options.on, sgemv::device_runner, sgemv::host_runner());
  if (runner == nullptr) {
    return 4;
  }
  if (options.m.empty()) {
    options.m = {runner == &sgemv::host_runner() ? 512 : 8192};
  }
  if (options.n.empty()) {
    options.n = options.m;
  }
  if (options.n.size() != options.m.size()) {
    std::fprintf(stderr, "sgemv: --m names %zu problems and --n names %zu; give as many\n", options.m.size(),
                 options.n.size());
    return 1;
  }

  std::printf("sgemv on %s\n", runner->name().c_str());
  const bool is_demo = !options.demo.empty() && runner == &sgemv::host_runner();
  Extras extras{.proofs = is_demo};
  if (options.times) {
    extras.copy_rate = runner->copy_rate();
  }
  if (extras.copy_rate != 0) {
    std::printf("this machine copies %.1f GB/s, read + write\n", extras.copy_rate * 1e-9);
  }
  bool all_right = true;
  for (std::size_t i = 0; i < options.m.size(); ++i) {
    for (const std::string& op : options.ops) {
      all_right = solve(*runner, op == "N" ? Op::n : Op::t, options.m[i], options.n[i], options, extras) && all_right;
    }
  }
  std::printf("%s\n", all_right ? "every element is within its bound" : "WRONG answers");
  if (is_demo) {
    std::printf("\n%s", sgemv::draw_timeline_on_host(options.demo).c_str());
  }
  return all_right ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
