#pragma once

#include "runner.hpp"

#include <string>
#include <vector>

namespace fft {

/// The spectra of overlapping windows of a sound: one transform of real points each, in one batch.
struct Spectrogram {
  static constexpr int points = 2048;  ///< of a window
  static constexpr int hop = 160;      ///< samples from one window to the next
  static constexpr int bins = points / 2;

  int windows = 0;
  std::vector<Complex> values;  ///< bin k of window i at i * bins + k, weighted by Hann's window

  [[nodiscard]] Complex at(int window, int bin) const {
    return values[static_cast<std::size_t>(window) * bins + static_cast<std::size_t>(bin)];
  }
};

/// @param samples  at least `Spectrogram::points`
[[nodiscard]] Spectrogram spectrogram_of(const std::vector<float>& samples, Runner& runner, std::string& plan);

/// The greatest error of some values, over the greatest value: against their definition, in float64.
[[nodiscard]] double error_of(const Spectrogram& spectrogram, const std::vector<float>& samples);

/// Draws the lower `hertz` of a spectrogram in decibels below its greatest value, with a mark each second and each kHz.
void draw(const std::string& path, const Spectrogram& spectrogram, int samples_a_second, int hertz);

}  // namespace fft
