#include "spectrogram.hpp"

#include "../png.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>

namespace fft {
namespace {

constexpr double pi = 3.14159265358979323846;

constexpr int levels = 100;
constexpr double range = 80;  ///< decibels

/// From black over purple and orange to light yellow.
[[nodiscard]] std::vector<Picture::Colour> palette() {
  constexpr double stops[][3] = {{0, 0, 4},     {40, 11, 84},   {101, 21, 110}, {159, 42, 99},
                                 {212, 72, 66}, {245, 125, 21}, {250, 193, 39}, {252, 255, 164}};
  constexpr int steps = 7;
  std::vector<Picture::Colour> colours;
  for (int level = 0; level < levels; ++level) {
    const double place = static_cast<double>(level) * steps / levels;
    const auto stop = static_cast<std::size_t>(place);
    const auto blend = [&](std::size_t part) {
      const double value =
          stops[stop][part] + (stops[stop + 1][part] - stops[stop][part]) * (place - static_cast<double>(stop));
      return static_cast<unsigned char>(std::lround(value));
    };
    colours.push_back({blend(0), blend(1), blend(2)});
  }
  return colours;
}

}  // namespace

Spectrogram spectrogram_of(const std::vector<float>& samples, Runner& runner, std::string& plan_text) {
  static_assert(Spectrogram::hop % 4 == 0, "fft: a window's points begin on 16 bytes");
  Spectrogram spectrogram;
  spectrogram.windows = static_cast<int>((samples.size() - Spectrogram::points) / Spectrogram::hop) + 1;
  const Plan plan = make_plan({.points = Spectrogram::points,
                               .batch = spectrogram.windows,
                               .in_distance = Spectrogram::hop / 2,
                               .numbers = Numbers::real},
                              runner.sms());
  plan_text = to_string(plan);
  std::vector<Complex> pairs(static_cast<std::size_t>(plan.in_points()));
  std::memcpy(pairs.data(), samples.data(), pairs.size() * sizeof(Complex));
  std::vector<Complex> results(static_cast<std::size_t>(plan.out_points()));
  std::vector<Complex> work(static_cast<std::size_t>(plan.work_points()));
  runner.run(plan, pairs.data(), results.data(), work.data());
  // Windows overlap and cannot be weighted as inputs. Hann's window is a constant and a cosine, which in the results
  // takes a quarter of each neighbour away.
  for (int window = 0; window < spectrogram.windows; ++window) {
    const Complex* const x = results.data() + window * plan.transform.out_distance;
    for (int k = 0; k < Spectrogram::bins; ++k) {
      const Complex before = k == 0 ? conjugated(x[1], -1) : x[k - 1];
      spectrogram.values.push_back(x[k] * 0.5F - (before + x[k + 1]) * 0.25F);
    }
  }
  return spectrogram;
}

double error_of(const Spectrogram& spectrogram, const std::vector<float>& samples) {
  double greatest = 0;
  double worst = 0;
  for (int window = 0; window < spectrogram.windows; window += std::max(1, spectrogram.windows / 16)) {
    const float* const x = samples.data() + static_cast<std::size_t>(window) * Spectrogram::hop;
    for (int k = window % 7; k < Spectrogram::bins; k += 37) {
      std::complex<double> sum = 0;
      for (int j = 0; j < Spectrogram::points; ++j) {
        const double turn = 2 * pi * j / Spectrogram::points;
        sum += std::polar((0.5 - 0.5 * std::cos(turn)) * static_cast<double>(x[j]), -turn * k);
      }
      const Complex found = spectrogram.at(window, k);
      greatest = std::max(greatest, std::abs(sum));
      worst = std::max(worst, std::abs(sum - std::complex<double>(found.re, found.im)));
    }
  }
  return worst / greatest;
}

void draw(const std::string& path, const Spectrogram& spectrogram, int samples_a_second, int hertz) {
  const int rows = hertz * Spectrogram::points / samples_a_second;
  Picture picture{spectrogram.windows, rows, palette(), {}};
  picture.pixels.resize(static_cast<std::size_t>(picture.cols) * static_cast<std::size_t>(picture.rows));
  const auto size_of = [](Complex value) { return std::hypot(value.re, value.im); };
  float greatest = 0;
  for (const Complex value : spectrogram.values) {
    greatest = std::max(greatest, size_of(value));
  }
  for (int window = 0; window < spectrogram.windows; ++window) {
    for (int bin = 0; bin < rows; ++bin) {
      const double decibels =
          20 * std::log10(static_cast<double>(size_of(spectrogram.at(window, bin)) / greatest) + 1e-9);
      const double level = std::clamp(1 + decibels / range, 0.0, 1.0) * (levels - 1);
      picture.at(window, rows - 1 - bin) = static_cast<unsigned char>(std::lround(level));
    }
  }
  Axis kilohertz{{}, "kHz"};
  for (int thousand = 1; thousand * 1000 < hertz; ++thousand) {
    kilohertz.marks.push_back({thousand * 1000 * Spectrogram::points / samples_a_second, thousand});
  }
  // Column i shows the window that begins with sample i * hop.
  Axis seconds{{}, "s"};
  for (int second = 0; second * samples_a_second / Spectrogram::hop < spectrogram.windows; ++second) {
    seconds.marks.push_back({second * samples_a_second / Spectrogram::hop, second});
  }
  write_png(path, with_axes(picture, seconds, kilohertz));
}

}  // namespace fft
