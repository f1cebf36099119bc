// SGEMV streamed through DMA warps: y = alpha A x, column-major. Runs on the GPU where there is one and on the host's
// CTA where there is none, checks every element against float64, and reports. Exits with 1 when an answer is wrong,
// with 4 when a GPU was asked for and there is none.

#include "machine.hpp"
#include "variants.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace {

using sgemv::Machine;
using sgemv::Problem;

struct Options {
  std::vector<int> m;  ///< of one problem after another
  std::vector<int> n;
  int pad = 0;  ///< rows between m and lda
  float alpha = 1.5F;
  unsigned seed = 1;
  std::string variant = "all";
  std::string on = "auto";
  std::string json;
  std::string commit = "unknown";
  std::string driver = "unknown";
  bool times = true;
};

/// A and x with a value in [-1, 1) everywhere, NaN in the rows between m and lda, which nobody may use.
struct Data {
  std::vector<float> a, x, y;
  Problem problem;

  Data(int m, int n, const Options& options)
      : a(static_cast<std::size_t>(m + options.pad) * static_cast<std::size_t>(n)),
        x(static_cast<std::size_t>(n)),
        y(static_cast<std::size_t>(m)),
        problem{m, n, options.alpha, a.data(), m + options.pad, x.data(), y.data()} {
    std::minstd_rand random(options.seed);
    const auto value = [&] { return static_cast<float>(random() % (1U << 24)) / static_cast<float>(1U << 23) - 1.0F; };
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<int>(i % static_cast<std::size_t>(problem.lda)) < m ? value() : std::nanf("");
    }
    std::generate(x.begin(), x.end(), value);
  }
};

/// y in float64, and for each element the largest error that float32 can make: n + 8 roundings, in any order of
/// summation.
struct Reference {
  std::vector<double> y, bound;

  explicit Reference(const Problem& p) : y(static_cast<std::size_t>(p.m)), bound(y.size()) {
    for (int j = 0; j < p.n; ++j) {
      const float* const column = p.a + j * p.lda;
      for (int i = 0; i < p.m; ++i) {
        const double product = static_cast<double>(column[i]) * p.x[j];
        y[static_cast<std::size_t>(i)] += product;
        bound[static_cast<std::size_t>(i)] += std::abs(product);
      }
    }
    const double rounding = std::ldexp(1.0, -24);
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] *= p.alpha;
      bound[i] *= std::abs(static_cast<double>(p.alpha)) * (p.n + 8) * rounding * 1.001;
    }
  }

  /// The largest error in units of its bound; NaN anywhere counts as infinite.
  [[nodiscard]] double worst(const Problem& p) const {
    double worst = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double error = std::abs(static_cast<double>(p.y[i]) - y[i]);
      worst = std::isnan(error) ? INFINITY : std::max(worst, error == 0 ? 0 : error / bound[i]);
    }
    return worst;
  }
};

void parse(CLI::App& app, Options& options) {
  app.add_option("--m", options.m, "rows of A, of one problem after another (default: 8192 on a GPU, 512 on the host)")
      ->check(CLI::PositiveNumber);
  app.add_option("--n", options.n, "columns of A, as many as --m (default: square)")->check(CLI::PositiveNumber);
  app.add_option("--pad", options.pad, "rows between one column of A and the next: lda is m + pad")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--alpha", options.alpha, "factor of A x");
  app.add_option("--seed", options.seed, "of the input");
  std::vector<std::string> names(std::begin(sgemv::variant_names), std::end(sgemv::variant_names));
  names.emplace_back("all");
  app.add_option("--variant", options.variant, "which kernel")->check(CLI::IsMember(names));
  app.add_option("--on", options.on, "where to run")->check(CLI::IsMember({"auto", "gpu", "host"}));
  app.add_option("--json", options.json, "write the results to this file");
  app.add_option("--commit", options.commit, "what the results file says of the source");
  app.add_option("--driver", options.driver, "what the results file says of the GPU's driver");
  app.add_flag("--time,!--no-time", options.times, "measure, or only check");
}

Machine* choose(const std::string& on) {
  std::string reason;
  Machine* const device = on == "host" ? nullptr : sgemv::device_machine(reason);
  if (device != nullptr) {
    return device;
  }
  if (on == "gpu") {
    std::printf("skipped: %s\n", reason.c_str());
    return nullptr;
  }
  if (on == "auto") {
    std::printf("no GPU here (%s)\n", reason.c_str());
  }
  return &sgemv::host_machine();
}

nlohmann::json results_of(const Machine& machine, const Options& options) {
  return {{"context",
           {{"device", machine.name()},
            {"driver", options.driver},
            {"toolkit", machine.toolkit()},
            {"commit", options.commit}}},
          {"benchmarks", nlohmann::json::array()}};
}

/// Runs one variant, checks it, and adds what was measured to `results`. Whether the answer is right.
bool report(Machine& machine, const Problem& p, const Reference& reference, const std::string& variant,
            double copy_rate, nlohmann::json& results) {
  std::printf("  %-12s ", variant.c_str());
  std::fflush(stdout);
  machine.run(variant);
  const double error = reference.worst(p);
  const bool is_right = error <= 1;
  std::printf("error %.4f of its bound%s", error, is_right ? "" : " WRONG");
  if (copy_rate != 0) {
    const double seconds = machine.time(variant);
    const double bytes = 4.0 * (static_cast<double>(p.m) * p.n + p.n + p.m);
    std::printf("  %10.2f us  %8.3f GB/s  %5.1f%% of the copy rate", seconds * 1e6, bytes / seconds * 1e-9,
                100 * bytes / seconds / copy_rate);
    results["benchmarks"].push_back(
        {{"name", "sgemv/op:N/m:" + std::to_string(p.m) + "/n:" + std::to_string(p.n) + "/by:" + variant},
         {"real_time", seconds * 1e6},
         {"time_unit", "us"},
         {"bytes_per_second", bytes / seconds},
         {"share_of_copy_rate", bytes / seconds / copy_rate},
         {"error_over_bound", error}});
  }
  std::printf("\n");
  return is_right;
}

/// One problem, in every variant asked for. Whether all answers are right.
bool solve(Machine& machine, int m, int n, const Options& options, double copy_rate, nlohmann::json& results) {
  const Data data(m, n, options);
  const Problem& p = data.problem;
  const Reference reference(p);
  machine.load(p);
  std::printf("m = %d, n = %d, lda = %lld, %d-byte accesses\n", p.m, p.n, p.lda,
              sgemv::allows_wide_accesses(p) ? 16 : 4);
  bool all_right = true;
  for (const std::string variant : sgemv::variant_names) {
    if (options.variant == "all" || options.variant == variant) {
      all_right = report(machine, p, reference, variant, copy_rate, results) && all_right;
    }
  }
  return all_right;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("y = alpha A x through DMA warps, in the six variants of SC'11, section 6.1");
  Options options;
  parse(app, options);
  CLI11_PARSE(app, argc, argv);

  Machine* const machine = choose(options.on);
  if (machine == nullptr) {
    return 4;
  }
  if (options.m.empty()) {
    options.m = {machine == &sgemv::host_machine() ? 512 : 8192};
  }
  if (options.n.empty()) {
    options.n = options.m;
  }
  if (options.n.size() != options.m.size()) {
    std::fprintf(stderr, "sgemv: --m names %zu problems and --n names %zu; give as many\n", options.m.size(),
                 options.n.size());
    return 1;
  }

  nlohmann::json results = results_of(*machine, options);
  std::printf("sgemv on %s\n", machine->name().c_str());
  double copy_rate = 0;
  if (options.times) {
    copy_rate = machine->copy_rate();
    std::printf("this machine copies %.1f GB/s, read + write\n", copy_rate * 1e-9);
    results["benchmarks"].push_back({{"name", "copy/by:memcpy"}, {"bytes_per_second", copy_rate}});
  }
  bool all_right = true;
  for (std::size_t i = 0; i < options.m.size(); ++i) {
    all_right = solve(*machine, options.m[i], options.n[i], options, copy_rate, results) && all_right;
  }
  if (!options.json.empty()) {
    std::ofstream(options.json) << results.dump(2) << '\n';
  }
  std::printf("%s\n", all_right ? "every element is within its bound" : "WRONG answers");
  return all_right ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
