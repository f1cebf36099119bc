// SGEMV streamed through DMA warps: y = alpha A x, column-major. Runs on the GPU where there is one and on the host's CTA
// where there is none, checks every element against float64, and reports. Exits with 1 when an answer is wrong, with 4 when a GPU was asked for and there is
// none.

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
  int m = 0;
  int n = 0;
  long long lda = 0;
  float alpha = 1.5F;
  unsigned seed = 1;
  std::string variant = "all";
  std::string on = "auto";
  std::string json;
  std::string commit = "unknown";
  bool times = true;
};

/// A and x with a value in [-1, 1) everywhere, NaN in the rows between m and lda, which nobody may use.
struct Data {
  std::vector<float> a, x, y;
  Problem problem;

  explicit Data(const Options& options)
      : a(static_cast<std::size_t>(options.lda) * static_cast<std::size_t>(options.n)),
        x(static_cast<std::size_t>(options.n)),
        y(static_cast<std::size_t>(options.m)),
        problem{options.m, options.n, options.alpha, a.data(), options.lda, x.data(), y.data()} {
    std::minstd_rand random(options.seed);
    const auto value = [&] { return static_cast<float>(random() % (1U << 24)) / static_cast<float>(1U << 23) - 1.0F; };
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<long long>(i % static_cast<std::size_t>(options.lda)) < options.m ? value() : std::nanf("");
    }
    std::generate(x.begin(), x.end(), value);
  }
};

/// y in float64, and for each element the largest error that float32 can make: n + 8 roundings, in any order of summation.
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
  app.add_option("--m", options.m, "rows of A (default: 8192 on a GPU, 512 on the host)")->check(CLI::PositiveNumber);
  app.add_option("--n", options.n, "columns of A (default: m)")->check(CLI::PositiveNumber);
  app.add_option("--lda", options.lda, "leading dimension, at least m (default: m)");
  app.add_option("--alpha", options.alpha, "factor of A x");
  app.add_option("--seed", options.seed, "of the input");
  std::vector<std::string> names(std::begin(sgemv::variant_names), std::end(sgemv::variant_names));
  names.emplace_back("all");
  app.add_option("--variant", options.variant, "which kernel")->check(CLI::IsMember(names));
  app.add_option("--on", options.on, "where to run")->check(CLI::IsMember({"auto", "gpu", "host"}));
  app.add_option("--json", options.json, "write the results to this file");
  app.add_option("--commit", options.commit, "what the results file says of the source");
  app.add_flag("--time,!--no-time", options.times, "measure, or only check");
}

Machine* choose(const std::string& on) {
  std::string reason;
  Machine* const device = on == "host" ? nullptr : sgemv::device_machine(reason);
  if (device != nullptr) {
    return device;
  }
  if (on == "gpu") {
    std::printf("sgemv: skipped, no GPU to run on: %s\n", reason.c_str());
    return nullptr;
  }
  if (on == "auto") {
    std::printf("no GPU here (%s)\n", reason.c_str());
  }
  return &sgemv::host_machine();
}

/// Runs one variant, checks it, and adds what was measured to `results`. Whether the answer is right.
bool report(Machine& machine, const Problem& p, const Reference& reference, const std::string& variant, double copy_rate,
            bool times, nlohmann::json& results) {
  machine.run(variant);
  const double error = reference.worst(p);
  const bool is_right = error <= 1;
  std::printf("  %-12s error %.3f of its bound %s", variant.c_str(), error, is_right ? "" : " WRONG");
  if (times) {
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
  const bool is_host = machine == &sgemv::host_machine();
  options.m = options.m != 0 ? options.m : options.n != 0 ? options.n : is_host ? 512 : 8192;
  options.n = options.n != 0 ? options.n : options.m;
  options.lda = options.lda != 0 ? options.lda : options.m;
  if (options.lda < options.m) {
    std::fprintf(stderr, "sgemv: --lda is %lld and must be at least m, %d\n", options.lda, options.m);
    return 1;
  }

  const Data data(options);
  const Problem& p = data.problem;
  const Reference reference(p);
  machine->load(p);
  const double copy_rate = options.times ? machine->copy_rate() : 0;
  nlohmann::json results{
      {"context",
       {{"device", machine->name()}, {"driver", machine->driver()}, {"toolkit", machine->toolkit()}, {"commit", options.commit}}},
      {"benchmarks", nlohmann::json::array()}};

  std::printf("sgemv on %s: m = %d, n = %d, lda = %lld, %d-byte accesses\n", machine->name().c_str(), p.m, p.n, p.lda,
              sgemv::allows_wide_accesses(p) ? 16 : 4);
  if (options.times) {
    std::printf("  copy rate of this machine, read + write: %.1f GB/s\n", copy_rate * 1e-9);
    results["benchmarks"].push_back({{"name", "copy/by:memcpy"}, {"bytes_per_second", copy_rate}});
  }
  bool all_right = true;
  for (const std::string variant : sgemv::variant_names) {
    if (options.variant == "all" || options.variant == variant) {
      all_right = report(*machine, p, reference, variant, copy_rate, options.times, results) && all_right;
    }
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
