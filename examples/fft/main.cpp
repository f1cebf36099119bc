// One-dimensional Fourier transforms: prints the plan, checks the results against float64 and measures. Runs on the GPU
// where there is one, otherwise on the emulator. Exits with 1 when a result is wrong, with 4 when a GPU was asked for
// and there is none.

#include "../choose.hpp"
#include "exact.hpp"
#include "runner.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

using fft::Complex;
using fft::Plan;
using fft::Runner;

struct Options {
  std::vector<int> logs;
  int batch = 1;
  bool inverse = false;
  bool in_place = false;
  bool times = true;
  unsigned seed = 1;
  std::string on = "auto";
};

/// The root mean square of some results' errors, of the first and the last transform of the batch.
[[nodiscard]] double error_of(const Plan& plan, const std::vector<Complex>& in, const std::vector<Complex>& out) {
  const fft::Transform& t = plan.transform;
  const int samples = static_cast<int>(std::max(3LL, std::min(t.points, (1LL << 25) / t.points)));
  double worst = 0;
  for (const long long i : {0, t.batch - 1}) {
    worst = std::max(worst, fft::error_of(in.data() + i * t.in_distance, out.data() + i * t.out_distance, t.points,
                                          t.inverse, samples));
  }
  return worst;
}

/// How far the energy of the results is from that of the points, of which Parseval's law says that they are equal.
[[nodiscard]] double energy_gained(const Plan& plan, const std::vector<Complex>& in, const std::vector<Complex>& out) {
  double before = 0;
  double after = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    before += std::norm(std::complex<double>(in[i].re, in[i].im));
    after += std::norm(std::complex<double>(out[i].re, out[i].im));
  }
  return std::abs(after / before / static_cast<double>(plan.transform.points) - 1);
}

/// Transforms random points once, checks and measures. Returns whether the results are right.
bool solve(Runner& runner, int log, const Options& options) {
  const fft::Transform transform{.points = 1LL << log, .batch = options.batch, .inverse = options.inverse};
  const Plan plan = fft::make_plan(transform, runner.sms());
  std::printf("%s", to_string(plan).c_str());
  std::fflush(stdout);
  const std::vector<Complex> in = fft::random_points(plan.in_points(), options.seed);
  std::vector<Complex> out = options.in_place ? in : std::vector<Complex>(in.size());
  std::vector<Complex> work(static_cast<std::size_t>(plan.work_points()));
  runner.run(plan, options.in_place ? out.data() : in.data(), out.data(), work.data());
  const double error = error_of(plan, in, out);
  const double gained = energy_gained(plan, in, out);
  const bool is_right = error < fft::error_bound(plan.transform.points) && gained < 1e-6;
  std::printf("  error %.2e, energy %.1e off%s", error, gained, is_right ? "" : " WRONG");
  const double copy_seconds = options.times ? runner.time_of_copy(plan) : 0;
  if (copy_seconds != 0) {
    const double seconds = runner.time(plan);
    std::printf(", %.2f us, %.0f GB/s of input and output; a copy takes %.2f us", seconds * 1e6,
                2e-9 * static_cast<double>(plan.in_points()) * sizeof(Complex) / seconds, copy_seconds * 1e6);
  }
  std::printf("\n");
  return is_right;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Fourier transforms of 2^n points by passes of radix 128 to 8192, as in SC'11, section 6.3");
  Options options;
  app.add_option("--n", options.logs, "logarithms of the points, 7 to 27 (default: 22 on a GPU, 12 on the host)");
  app.add_option("--batch", options.batch, "transforms at once");
  app.add_flag("--inverse", options.inverse, "with the positive sign, not divided by the number of points");
  app.add_flag("--in-place", options.in_place, "results instead of the points");
  app.add_flag("--time,!--no-time", options.times, "on a GPU: measure, or only check");
  app.add_option("--seed", options.seed, "of the input");
  app.add_option("--on", options.on, "where to run")->check(CLI::IsMember({"auto", "gpu", "host"}));
  CLI11_PARSE(app, argc, argv);

  Runner* const runner = choose(options.on, fft::device_runner, fft::host_runner());
  if (runner == nullptr) {
    return 4;
  }
  if (options.logs.empty()) {
    options.logs = {runner == &fft::host_runner() ? 12 : 22};
  }
  std::printf("fft on %s\n", runner->name().c_str());
  bool all_right = true;
  for (const int log : options.logs) {
    if (log < 0 || log > 40) {
      std::fprintf(stderr, "fft: --n is the logarithm of the points, and it is %d; give one from 7 to 27\n", log);
      return 1;
    }
    all_right = solve(*runner, log, options) && all_right;
  }
  std::printf("%s\n", all_right ? "every result is within its bound" : "WRONG results");
  return all_right ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
