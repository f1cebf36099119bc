// One-dimensional Fourier transforms: prints the plan, checks the results against float64 and measures. Runs on the GPU
// where there is one, otherwise on the emulator. Exits with 1 when a result is wrong, with 4 when a GPU was asked for
// and there is none.

#include "../choose.hpp"
#include "exact.hpp"
#include "runner.hpp"
#include "sound.hpp"
#include "spectrogram.hpp"

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
  bool real = false;
  bool times = true;
  unsigned seed = 1;
  std::string on = "auto";
  std::string out = ".";
};

/// All points of a transform, or all of its results, of what an array has of them.
[[nodiscard]] std::vector<Complex> all_of(const Complex* array, const fft::Transform& transform, bool is_input) {
  return !transform.is_real()            ? std::vector<Complex>(array, array + transform.points)
         : is_input == transform.inverse ? fft::with_conjugates(array, transform.points)
                                         : fft::of_reals(array, transform.points);
}

[[nodiscard]] double energy_of(const std::vector<Complex>& points) {
  double energy = 0;
  for (const Complex point : points) {
    energy += std::norm(std::complex<double>(point.re, point.im));
  }
  return energy;
}

struct Errors {
  double of_results = 0;  ///< the root mean square of some
  double of_energy = 0;   ///< that of the results over that of the points, which Parseval's law makes equal, minus 1
};

/// The worse ones of the first and the last transform of the batch.
[[nodiscard]] Errors errors_of(const Plan& plan, const std::vector<Complex>& in, const std::vector<Complex>& out) {
  const fft::Transform& t = plan.transform;
  const int samples = static_cast<int>(std::max(3LL, std::min(t.points, (1LL << 25) / t.points)));
  Errors worst;
  for (const long long i : {0, t.batch - 1}) {
    const std::vector<Complex> points = all_of(in.data() + i * t.in_distance, t, true);
    const std::vector<Complex> results = all_of(out.data() + i * t.out_distance, t, false);
    const double gained = energy_of(results) / energy_of(points) / static_cast<double>(t.points);
    worst.of_results =
        std::max(worst.of_results, fft::error_of(points.data(), results.data(), t.points, t.inverse, samples));
    worst.of_energy = std::max(worst.of_energy, std::abs(gained - 1));
  }
  return worst;
}

/// Transforms random points once, checks and measures. Returns whether the results are right.
bool solve(Runner& runner, int log, const Options& options) {
  fft::Transform transform{.points = 1LL << log,
                           .batch = options.batch,
                           .inverse = options.inverse,
                           .numbers = options.real ? fft::Numbers::real : fft::Numbers::complex};
  if (options.in_place && options.real) {
    transform.in_distance = transform.out_distance = transform.points / 2 + 2;
  }
  const Plan plan = fft::make_plan(transform, runner.sms());
  std::printf("%s", to_string(plan).c_str());
  std::fflush(stdout);
  std::vector<Complex> in = fft::random_points(plan.in_points(), options.seed);
  if (transform.is_real() && transform.inverse) {
    for (std::size_t i = 0; i < in.size(); i += static_cast<std::size_t>(plan.transform.in_distance)) {
      in[i].im = in[i + static_cast<std::size_t>(transform.points / 2)].im = 0;
    }
  }
  std::vector<Complex> out = options.in_place ? in : std::vector<Complex>(static_cast<std::size_t>(plan.out_points()));
  std::vector<Complex> work(static_cast<std::size_t>(plan.work_points()));
  runner.run(plan, options.in_place ? out.data() : in.data(), out.data(), work.data());
  const Errors errors = errors_of(plan, in, out);
  const bool is_right = errors.of_results < fft::error_bound(transform.points) && errors.of_energy < 1e-6;
  std::printf("  error %.2e, energy %.1e off%s", errors.of_results, errors.of_energy, is_right ? "" : " WRONG");
  const double copy_seconds = options.times ? runner.time_of_copy(plan) : 0;
  if (copy_seconds != 0) {
    const double seconds = runner.time(plan);
    std::printf(", %.2f us, %.0f GB/s of input and output; a copy takes %.2f us", seconds * 1e6,
                1e-9 * static_cast<double>(plan.in_points() + plan.out_points()) * sizeof(Complex) / seconds,
                copy_seconds * 1e6);
  }
  std::printf("\n");
  return is_right;
}

/// Draws what a sound consists of, over time. Returns whether the results are right.
bool draw_spectrogram(Runner& runner, const Options& options) {
  const std::vector<float> sound = fft::sound();
  std::string plan;
  const fft::Spectrogram spectrogram = fft::spectrogram_of(sound, runner, plan);
  const double error = fft::error_of(spectrogram, sound);
  const bool is_right = error < 1e-6;
  const std::string path = options.out + "/spectrogram.png";
  fft::draw(path, spectrogram, fft::samples_a_second, 4000);
  std::printf("%s  error %.1e of the greatest value%s, wrote %s\n", plan.c_str(), error, is_right ? "" : " WRONG",
              path.c_str());
  return is_right;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Fourier transforms of 2^n points by passes of radix 128 to 8192, as in SC'11, section 6.3");
  Options options;
  app.add_option("--n", options.logs, "logarithms of the points, 7 to 27 (default: 22 on a GPU, 12 on the host)");
  app.add_option("--batch", options.batch, "transforms at once");
  app.add_flag("--inverse", options.inverse, "with the positive sign, not divided by the number of points");
  app.add_flag("--real", options.real, "of real points; of an inverse the results are real");
  app.add_flag("--in-place", options.in_place, "results instead of the points");
  app.add_flag("--time,!--no-time", options.times, "on a GPU: measure, or only check");
  app.add_option("--seed", options.seed, "of the input");
  app.add_option("--on", options.on, "where to run")->check(CLI::IsMember({"auto", "gpu", "host"}));
  CLI::App* const spectrogram =
      app.add_subcommand("spectrogram", "draw what a sound consists of, over time, as spectrogram.png");
  spectrogram->fallthrough();
  spectrogram->add_option("--out", options.out, "the folder for the picture")->check(CLI::ExistingDirectory);
  CLI11_PARSE(app, argc, argv);

  Runner* const runner = choose(options.on, fft::device_runner, fft::host_runner());
  if (runner == nullptr) {
    return 4;
  }
  if (options.logs.empty() && !app.got_subcommand(spectrogram)) {
    options.logs = {runner == &fft::host_runner() ? 12 : 22};
  }
  std::printf("fft on %s\n", runner->name().c_str());
  bool all_right = true;
  if (app.got_subcommand(spectrogram)) {
    options.logs.clear();
    all_right = draw_spectrogram(*runner, options);
  }
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
